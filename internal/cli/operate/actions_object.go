package operate

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/observe/action"
)

// doer knows and carries out the actions of live objects.
type doer interface {
	target.Trees
	Actions(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]action.Action, error)
	Act(ctx context.Context, a *v1alpha1.Application, want inspect.Act) ([]inspect.Acted, error)
	Close()
}

func (a *actionsFlags) open(ctx context.Context, name string) (*target.Hub, doer, *v1alpha1.Application, error) {
	h, err := target.Reach(a.Global)
	if err != nil {
		return nil, nil, nil, err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return nil, nil, nil, err
	}
	if h.Server != nil {
		return h, servedActions{target.ServedLook{Server: h.Server}}, application, nil
	}
	inspector, err := target.Inspect(ctx, a.Global, h, nil)
	return h, inspector, application, err
}
