package app

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// ours lets through the Applications of the engine's namespaces.
func (e *Engine) ours() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool { return e.cfg.covers(o.GetNamespace()) })
}
