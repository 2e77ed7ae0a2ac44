package plan

import "cmp"

// Refusal is the first reason for which the engine would not apply all of an
// application, as far as that shows without its cluster: what its spec and its
// manifests say cannot be used. The scope has to know Kubernetes' own kinds.
func Refusal(w Want) error {
	s, err := begin(w)
	if err != nil {
		return err
	}
	manifests := s.exclude(w.Manifests)
	scope := scopeWith(w.Scope, manifests)
	for _, m := range manifests {
		o, err := s.placed(m, scope)
		if err := cmp.Or(err, o.Fault); err != nil {
			return err
		}
	}
	return nil
}
