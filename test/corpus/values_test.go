package corpus

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// merged is what a stand-in chart must have been given, by rules written down a second time: the chart's own values,
// then value files in their order, then values, then valuesObject. Files opens the repository that a ref names.
func merged(app *v1alpha1.Application, s v1alpha1.ApplicationSource, chart map[string]any, files func(repo string) fs.FS) (map[string]any, error) {
	out := maps.Clone(chart)
	if s.Helm == nil {
		return out, nil
	}
	for _, name := range s.Helm.ValueFiles {
		text, err := valueFile(app, name, files)
		if errors.Is(err, fs.ErrNotExist) && s.Helm.IgnoreMissingValueFiles {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := lay(out, text); err != nil {
			return nil, err
		}
	}
	if s.Helm.ValuesObject != nil {
		return out, lay(out, s.Helm.ValuesObject.Raw)
	}
	return out, lay(out, []byte(s.Helm.Values))
}

func valueFile(app *v1alpha1.Application, name string, files func(repo string) fs.FS) ([]byte, error) {
	ref, rest, _ := strings.Cut(name, "/")
	for _, s := range app.Spec.GetSources() {
		if s.Ref != "" && "$"+s.Ref == ref {
			return fs.ReadFile(files(s.RepoURL), strings.TrimPrefix(path.Clean("/"+rest), "/"))
		}
	}
	return nil, errors.New("cannot find the source of value file " + name)
}

// lay puts values over others; null takes a value away.
func lay(under map[string]any, text []byte) error {
	over := map[string]any{}
	if err := yaml.Unmarshal(text, &over); err != nil {
		return err
	}
	layMap(under, over)
	return nil
}

func layMap(under, over map[string]any) {
	for k, v := range over {
		below, ok1 := under[k].(map[string]any)
		above, ok2 := v.(map[string]any)
		if ok1 && ok2 {
			below = maps.Clone(below)
			layMap(below, above)
			under[k] = below
			continue
		}
		under[k] = v
	}
}

// settled brings values to one form: without null, and with the types of JSON. Helm takes "<no value>" out of all that
// it renders, wherever it came from.
func settled(values map[string]any) (map[string]any, error) {
	text, err := json.Marshal(withoutNull(values))
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	return out, json.Unmarshal(text, &out)
}

func withoutNull(v any) any {
	switch v := v.(type) {
	case string:
		if rest := strings.ReplaceAll(v, "<no value>", ""); rest != "" || v == "" {
			return rest
		}
		return nil
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e = withoutNull(e); e != nil {
				out[k] = e
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = withoutNull(e)
		}
		return out
	}
	return v
}
