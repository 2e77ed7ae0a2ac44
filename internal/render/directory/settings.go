package directory

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

var _ source.Configured = Renderer{}

// Settings implements source.Configured: what the Application says of its
// folder, and the variables that Jsonnet gets.
func (Renderer) Settings(_ context.Context, s *source.Source) ([]gitops.Value, error) {
	spec := s.Spec.Directory
	if spec == nil {
		return nil, nil
	}
	var out []gitops.Value
	add := func(value any, name string, path ...string) {
		out = append(out, gitops.Value{Path: path, Layers: []gitops.Layer{{Kind: gitops.LayerSource, Name: name, Value: value}}})
	}
	vars, err := variables(s)
	if err != nil {
		return nil, err
	}
	for _, v := range vars {
		if v.top {
			add(v.value, "directory.jsonnet.tlas", "tlas", v.name)
			continue
		}
		add(v.value, "directory.jsonnet.extVars", "extVars", v.name)
	}
	for _, lib := range spec.Jsonnet.Libs {
		add(lib, "directory.jsonnet.libs", "libs", lib)
	}
	if spec.Recurse {
		add(true, "directory.recurse", "recurse")
	}
	if spec.Include != "" {
		add(spec.Include, "directory.include", "include")
	}
	if spec.Exclude != "" {
		add(spec.Exclude, "directory.exclude", "exclude")
	}
	return out, nil
}
