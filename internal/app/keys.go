package app

import (
	"context"
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/source"
)

// readKeys reads the keys of signatures before the first source is fetched.
func (e *Engine) readKeys(ctx context.Context, c client.Reader) {
	data, err := follow.Read(ctx, c, e.cfg.Namespace, source.KeysMap)
	if err != nil && ctx.Err() == nil {
		e.cfg.Log.WarnContext(ctx, "no signature can be checked until the keys are read", "configmap", source.KeysMap, "error", err)
		return
	}
	e.trustKeys(ctx, data)
}

func (e *Engine) trustKeys(ctx context.Context, data map[string]string) {
	for _, err := range e.sources.TrustKeys(data) {
		e.cfg.Log.WarnContext(ctx, "a key of signatures is left out", "error", err)
	}
}

// followKeys keeps the keys as the ConfigMap says until ctx ends, and has the
// applications of projects that ask for signatures look again.
func (e *Engine) followKeys(ctx context.Context) error {
	c, err := client.NewWithWatch(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	var known map[string]string
	f := follow.ConfigMap{
		Namespace: e.cfg.Namespace, Name: source.KeysMap,
		Put: func(data map[string]string) bool {
			changed := !maps.Equal(known, data)
			known = data
			if changed {
				e.trustKeys(ctx, data)
			}
			return changed
		},
		Changed: func() { e.router.Keys(ctx) },
		Failed: func(err error) {
			e.cfg.Log.WarnContext(ctx, "keys of signatures stay as they are", "error", err)
		},
	}
	f.Follow(ctx, c)
	return nil
}
