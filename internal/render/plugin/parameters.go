package plugin

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Announced returns the parameters that a source's plugin announces: those
// of its file, then those that its command prints, which replace the former
// of the same name. It asks the plugin each time. Renders do not need it: it is
// the part of a ConfigManagementPlugin file that is for those who fill in
// spec.source.plugin.parameters.
func (r *Renderer) Announced(ctx context.Context, s *source.Source) ([]Parameter, error) {
	p, err := r.pick(ctx, s)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(p.Static)
	if !p.Dynamic.set() {
		return all, nil
	}
	w, err := r.newWorkspace(ctx, s, p.PreserveFileMode)
	if err != nil {
		return nil, err
	}
	defer w.remove()
	out, err := r.run(ctx, s, w, p, "parameters", p.Dynamic)
	if err != nil {
		return nil, err
	}
	if _, err := bounded.Check(out); err != nil {
		return nil, unread(s, p, err)
	}
	var more []Parameter
	if err := json.Unmarshal(out, &more); err != nil {
		return nil, unread(s, p, err)
	}
	for _, m := range more {
		i := slices.IndexFunc(all, func(o Parameter) bool { return o.Name == m.Name })
		if i >= 0 {
			all[i] = m
			continue
		}
		all = append(all, m)
	}
	return all, nil
}
