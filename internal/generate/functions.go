package generate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// functions are what Go templates may call: sprig's, without those that tell
// about the engine's own environment, and Argo CD's additions.
func functions(limit int, count counter) template.FuncMap {
	matching := bounded.NewMatching(mostMatching)
	all := template.FuncMap{}
	maps.Copy(all, sprig.GenericFuncMap())
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, name)
	}
	maps.Copy(all, template.FuncMap{
		"normalize": normalize, "slugify": slugify,
		"toYaml": toYAML, "fromYaml": fromYAML, "fromYamlArray": fromYAMLArray,
		"sortAlpha": sorting(all["sortAlpha"]),
		"print":     fmt.Sprint, "println": fmt.Sprintln, "printf": fmt.Sprintf,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	for name, f := range all {
		if expects(name) {
			f = matched(f, limit, matching)
		}
		all[name] = guarded(name, f, limit, count)
	}
	return all
}

// sorting is the library's sortAlpha of a copy: it sorts in place, and the list may
// be a parameter that other combinations of a matrix have, too.
func sorting(library any) func(any) []string {
	sorted, _ := library.(func(any) []string)
	return func(list any) []string {
		if texts, ok := list.([]string); ok {
			list = slices.Clone(texts)
		}
		return sorted(list)
	}
}

var notInName = regexp.MustCompile(`[^-a-z0-9.]`)

// normalize makes a DNS name of a text: lower case, anything else becomes a
// dash, at most 253 characters, no dash or dot at the ends.
func normalize(text string) string {
	const longest = 253
	text = notInName.ReplaceAllString(strings.ToLower(text), "-")
	if len(text) > longest {
		text = text[:longest]
	}
	return strings.Trim(text, "-.")
}

var (
	notInSlug  = regexp.MustCompile(`[^a-z0-9-_]`)
	manyDashes = regexp.MustCompile(`-+`)
)

// slugify makes a short name of its last argument. Before it may stand the
// longest length (default 50) and whether to cut at a dash (default true).
func slugify(args ...any) (string, error) {
	length, atDash := 50, true
	if len(args) == 0 || len(args) > 3 {
		return "", errorf("slugify takes 1 to 3 arguments, not %d", len(args))
	}
	text, ok := args[len(args)-1].(string)
	if !ok {
		return "", errorf("slugify needs a text, not %s", typeOf(args[len(args)-1]))
	}
	if len(args) > 1 {
		if length, ok = args[0].(int); !ok {
			return "", errorf("slugify needs a whole number as length, not %s", typeOf(args[0]))
		}
	}
	if len(args) > 2 {
		if atDash, ok = args[1].(bool); !ok {
			return "", errorf("slugify needs true or false as second argument, not %s", typeOf(args[1]))
		}
	}
	slug := manyDashes.ReplaceAllString(notInSlug.ReplaceAllString(normalize(text), "-"), "-")
	return cutSlug(strings.Trim(slug, "-_"), length, atDash), nil
}

func typeOf(value any) word { return word(fmt.Sprintf("%T", value)) }

func cutSlug(slug string, length int, atDash bool) string {
	if length <= 0 || len(slug) <= length {
		return slug
	}
	if !atDash {
		return slug[:length]
	}
	// A dash right after the cut means that whole words fit.
	if i := strings.LastIndexByte(slug[:length+1], '-'); i > 0 {
		return slug[:i]
	}
	return slug[:length]
}

func toYAML(value any) (string, error) {
	text, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(text), "\n"), err
}

func fromYAML(text string) (map[string]any, error) {
	out := map[string]any{}
	err := bounded.Unmarshal([]byte(text), &out)
	return out, err
}

func fromYAMLArray(text string) ([]any, error) {
	out := []any{}
	err := bounded.Unmarshal([]byte(text), &out)
	return out, err
}
