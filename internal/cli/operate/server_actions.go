package operate

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// servedActions knows and carries out actions by way of a server.
type servedActions struct{ target.ServedLook }

// Actions implements doer. Those that one may not carry out are told of, too.
func (s servedActions) Actions(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]action.Action, error) {
	found, err := s.Server.Actions(ctx, target.KeyOf(a), api.Ref{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: k.Namespace, Name: k.Name})
	if err != nil {
		return nil, err
	}
	out := make([]action.Action, 0, len(found))
	for _, f := range found {
		one := action.Action{Name: f.Name, DisplayName: f.Title, Disabled: f.Disabled}
		for _, p := range f.Parameters {
			one.Parameters = append(one.Parameters, action.Parameter(p))
		}
		out = append(out, one)
	}
	return out, nil
}

// Act implements doer.
func (s servedActions) Act(ctx context.Context, a *v1alpha1.Application, want inspect.Act) ([]inspect.Acted, error) {
	of := api.Ref{Group: want.Object.Group, Version: want.Version, Kind: want.Object.Kind, Namespace: want.Object.Namespace, Name: want.Object.Name}
	done, err := s.Server.Act(ctx, target.KeyOf(a), of, &api.Act{Action: want.Action, Parameters: want.Parameters, DryRun: want.DryRun})
	if err != nil {
		return nil, err
	}
	out := make([]inspect.Acted, 0, len(done))
	for _, d := range done {
		o, err := target.ObjectDiff(&api.Difference{Ref: d.Ref, Changes: d.Changes, Live: d.Before, Desired: d.After})
		if err != nil {
			return nil, err
		}
		out = append(out, inspect.Acted{Key: o.Key, Verb: gitops.Verb(d.Verb), Diff: o.Diff})
	}
	return out, nil
}
