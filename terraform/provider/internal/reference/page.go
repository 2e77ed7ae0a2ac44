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

// The groups of attributes, in the registry's words.
const (
	required = "Required"
	optional = "Optional"
	readOnly = "Read-Only"
)

const writeOnly = "[Write-only](https://developer.hashicorp.com/terraform/language/resources/ephemeral#write-only-arguments)"

// kinds are types in the registry's words.
var kinds = map[string]string{
	"tftypes.String": "String", "tftypes.Bool": "Boolean", "tftypes.Number": "Number",
	"tftypes.List[tftypes.String]": "List of String", "tftypes.Map[tftypes.String]": "Map of String",
}

// title is what the registry calls a page in its list, and the page itself.
type title struct{ list, page string }

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
	out := map[string]string{"index.md": page(title{"causeway Provider", "causeway Provider"}, got.Provider, example(examples, "provider/provider.tf"))}
	for name, s := range got.ResourceSchemas {
		short := strings.TrimPrefix(name, "causeway_")
		text := page(title{name + " Resource - causeway", name + " (Resource)"}, s, example(examples, "resources/"+name+"/resource.tf"))
		if command, err := fs.ReadFile(examples, "resources/"+name+"/import.sh"); err == nil {
			text += "\n## Import\n\n```shell\n" + string(command) + "```\n"
		}
		out["resources/"+short+".md"] = text
	}
	for name, s := range got.DataSourceSchemas {
		out["data-sources/"+strings.TrimPrefix(name, "causeway_")+".md"] = page(
			title{name + " Data Source - causeway", name + " (Data Source)"}, s, example(examples, "data-sources/"+name+"/data-source.tf"))
	}
	return out, nil
}

func example(examples fs.FS, name string) string {
	text, err := fs.ReadFile(examples, name)
	if err != nil {
		return ""
	}
	return "## Example Usage\n\n```terraform\n" + string(text) + "```\n\n"
}

// page is one page: front matter, description, example, schema.
func page(t title, s *tfprotov6.Schema, example string) string {
	var out strings.Builder
	doc := s.Block.Description
	first, _, _ := strings.Cut(doc, ". ")
	_, _ = fmt.Fprintf(&out, "---\npage_title: %q\nsubcategory: \"\"\ndescription: |-\n  %s.\n---\n\n", t.list, strings.TrimSuffix(first, "."))
	_, _ = fmt.Fprintf(&out, "<!-- Written by `go generate`; edit the schema or the examples instead. -->\n\n# %s\n\n%s\n\n%s## Schema\n", t.page, doc, example)
	attributes(&out, nil, s.Block.Attributes)
	return out.String()
}

// attributes writes those that must be given, those that may, and those that
// are answers. What is nested follows, each with what is nested in it.
func attributes(out *strings.Builder, path []string, all []*tfprotov6.SchemaAttribute) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *tfprotov6.SchemaAttribute) int { return strings.Compare(a.Name, b.Name) })
	groups := map[string][]string{}
	for _, a := range all {
		line := fmt.Sprintf("- `%s` (%s) %s", a.Name, shape(a), a.Description)
		if a.NestedType != nil {
			line += fmt.Sprintf(" (see [below for nested schema](#%s))", anchor(path, a))
		}
		groups[group(a)] = append(groups[group(a)], line)
	}
	form := "\n### %s\n\n%s\n"
	if len(path) > 0 {
		form = "\n%s:\n\n%s\n"
	}
	for _, g := range []string{required, optional, readOnly} {
		if lines := groups[g]; len(lines) > 0 {
			_, _ = fmt.Fprintf(out, form, g, strings.Join(lines, "\n"))
		}
	}
	for _, a := range all {
		if a.NestedType != nil {
			inner := append(slices.Clone(path), a.Name)
			_, _ = fmt.Fprintf(out, "\n<a id=%q></a>\n### Nested Schema for `%s`\n", anchor(path, a), strings.Join(inner, "."))
			attributes(out, inner, a.NestedType.Attributes)
		}
	}
}

// anchor is where the attributes of an attribute stand.
func anchor(path []string, a *tfprotov6.SchemaAttribute) string {
	return "nestedatt--" + strings.Join(append(slices.Clone(path), a.Name), "--")
}

// group is where an attribute stands.
func group(a *tfprotov6.SchemaAttribute) string {
	switch {
	case a.Required:
		return required
	case a.Optional:
		return optional
	}
	return readOnly
}

// shape is the type of an attribute in the registry's words.
func shape(a *tfprotov6.SchemaAttribute) string {
	words := []string{}
	switch {
	case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeList:
		words = append(words, "Attributes List")
	case a.NestedType != nil:
		words = append(words, "Attributes")
	default:
		words = append(words, kinds[a.Type.String()])
	}
	if a.Sensitive {
		words = append(words, "Sensitive")
	}
	if a.WriteOnly {
		words = append(words, writeOnly)
	}
	return strings.Join(words, ", ")
}

// Names returns the paths of pages in order.
func Names(pages map[string]string) []string { return slices.Sorted(maps.Keys(pages)) }
