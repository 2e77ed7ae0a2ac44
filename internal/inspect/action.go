package inspect

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/serve"
)

// Acts carries out an action for the server.
func (i *Inspector) Acts(ctx context.Context, app *v1alpha1.Application, act serve.Act) ([]plan.ObjectDiff, error) {
	done, err := i.Act(ctx, app, Act(act))
	out := make([]plan.ObjectDiff, 0, len(done))
	for _, d := range done {
		out = append(out, plan.ObjectDiff{Key: d.Key, Verb: d.Verb, Diff: d.Diff})
	}
	return out, err
}
