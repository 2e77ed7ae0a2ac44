// Package reference writes the provider's documentation in the form that
// Terraform's registry shows, from its schema and the folder examples.
package reference

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/provider"
)

// Pages returns the pages by their paths below docs.
func Pages(ctx context.Context, examples fs.FS) (map[string]string, error) {
	server, err := providerserver.NewProtocol6WithError(provider.New("dev")())()
	if err != nil {
		return nil, err
	}
	got, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{"index.md": page("provider", "causeway", got.Provider, example(examples, "provider/provider.tf"))}
	for name, s := range got.ResourceSchemas {
		short := strings.TrimPrefix(name, "causeway_")
		text := page("resource", name, s, example(examples, "resources/"+name+"/resource.tf"))
		if command, err := fs.ReadFile(examples, "resources/"+name+"/import.sh"); err == nil {
			text += "\n## Import\n\n```shell\n" + string(command) + "```\n"
		}
		out["resources/"+short+".md"] = text
	}
	for name, s := range got.DataSourceSchemas {
		out["data-sources/"+strings.TrimPrefix(name, "causeway_")+".md"] = page("data source", name, s, example(examples, "data-sources/"+name+"/data-source.tf"))
	}
	return out, nil
}

func example(examples fs.FS, name string) string {
	text, err := fs.ReadFile(examples, name)
	if err != nil {
		return ""
	}
	return "## Example\n\n```terraform\n" + string(text) + "```\n\n"
}

// page is one page: front matter, description, example, schema.
func page(what, name string, s *tfprotov6.Schema, example string) string {
	var out strings.Builder
	doc := s.Block.Description
	first, _, _ := strings.Cut(doc, ". ")
	_, _ = fmt.Fprintf(&out, "---\npage_title: %q\ndescription: |-\n  %s.\n---\n\n", name+" ("+what+")", strings.TrimSuffix(first, "."))
	_, _ = fmt.Fprintf(&out, "<!-- Written by `go generate`; edit the schema or the examples instead. -->\n\n# %s (%s)\n\n%s\n\n%s## Schema\n", name, what, doc, example)
	var nested []section
	attributes(&out, "", s.Block.Attributes, &nested)
	for len(nested) > 0 {
		next := nested[0]
		nested = nested[1:]
		_, _ = fmt.Fprintf(&out, "\n### `%s`\n", next.path)
		attributes(&out, next.path, next.attributes, &nested)
	}
	return out.String()
}

// section is an attribute with attributes of its own.
type section struct {
	path       string
	attributes []*tfprotov6.SchemaAttribute
}

// attributes writes those that must be given, those that may, and those that
// are answers.
func attributes(out *strings.Builder, path string, all []*tfprotov6.SchemaAttribute, nested *[]section) {
	groups := map[string][]string{}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *tfprotov6.SchemaAttribute) int { return strings.Compare(a.Name, b.Name) })
	for _, a := range all {
		full := a.Name
		if path != "" {
			full = path + "." + a.Name
		}
		group := "Read-only"
		switch {
		case a.Required:
			group = "Required"
		case a.Optional:
			group = "Optional"
		}
		line := fmt.Sprintf("- `%s` (%s) %s", a.Name, shape(a), a.Description)
		if a.NestedType != nil {
			line += fmt.Sprintf(" See `%s` below.", full)
			*nested = append(*nested, section{full, a.NestedType.Attributes})
		}
		groups[group] = append(groups[group], line)
	}
	for _, group := range []string{"Required", "Optional", "Read-only"} {
		if lines := groups[group]; len(lines) > 0 {
			_, _ = fmt.Fprintf(out, "\n%s:\n\n%s\n", group, strings.Join(lines, "\n"))
		}
	}
}

// shape is the type of an attribute in words.
func shape(a *tfprotov6.SchemaAttribute) string {
	words := []string{}
	switch {
	case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeList:
		words = append(words, "list of objects")
	case a.NestedType != nil:
		words = append(words, "object")
	default:
		words = append(words, kinds[a.Type.String()])
	}
	for word, holds := range map[string]bool{"sensitive": a.Sensitive, "write-only": a.WriteOnly} {
		if holds {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

var kinds = map[string]string{
	"tftypes.String": "text", "tftypes.Bool": "true or false", "tftypes.Number": "number",
	"tftypes.List[tftypes.String]": "list of texts", "tftypes.Map[tftypes.String]": "map of texts",
}

// Names returns the paths of pages in order.
func Names(pages map[string]string) []string { return slices.Sorted(maps.Keys(pages)) }
