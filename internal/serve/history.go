package serve

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store"
)

// past is the history for the API.
type past struct {
	*store.Store

	compare func(ctx context.Context, a, b string) ([]forecast.Object, error)
	// annotations of Secrets whose values nobody is shown.
	annotations func() []string
}

// Compare tells what differs between the manifests of two syncs.
func (p past) Compare(ctx context.Context, a, b string) ([]api.Difference, error) {
	objects, err := p.compare(ctx, a, b)
	if err != nil {
		return nil, err
	}
	out := make([]api.Difference, 0, len(objects))
	for i := range objects {
		out = append(out, differenceOf(&objects[i]))
	}
	return out, nil
}

// verbs of what differs between two syncs, in the words of a sync.
var verbs = map[forecast.Change]string{forecast.Added: "create", forecast.Removed: "prune", forecast.Changed: "update"}

func differenceOf(o *forecast.Object) api.Difference {
	d := api.Difference{Ref: api.Ref{Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}, Verb: verbs[o.Change]}
	if o.File != "" {
		d.Origin = gitops.Origin{File: o.File, Line: o.Line}.String()
	}
	for _, f := range o.Fields {
		d.Changes = append(d.Changes, api.Change{Path: f.Path, Old: f.Old, New: f.New})
	}
	if o.Change == forecast.Added {
		d.Desired = o.Manifest
	} else {
		d.Live = o.Manifest
	}
	return d
}
