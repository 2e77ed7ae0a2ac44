package install

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// Engine is an engine that is to be installed.
type Engine struct {
	installer *installer
	objects   installation
}

// PlanEngine plans the installation of an engine where there is none. It writes
// nothing. Objects of others are taken over, as a takeover does with all that it
// finds.
func PlanEngine(ctx context.Context, config *rest.Config, clients kubernetes.Interface, engine *bootstrap.Engine) (*Engine, error) {
	facts, err := hub.Facts(clients)
	if err != nil {
		return nil, err
	}
	objects, err := engine.Objects(facts)
	if err != nil {
		return nil, err
	}
	definitions, err := deploy.Definitions()
	if err != nil {
		return nil, err
	}
	i, err := newInstaller(config)
	if err != nil {
		return nil, err
	}
	i.adopts = true
	planned, err := i.plan(ctx, slices.Concat(definitions, []*unstructured.Unstructured{bootstrap.Namespace(engine.Namespace)}, objects), nil, nil)
	if err != nil {
		return nil, err
	}
	return &Engine{i, planned}, nil
}

// Apply installs it, and tells of each object.
func (e *Engine) Apply(ctx context.Context, say func(format string, args ...any)) error {
	return e.installer.apply(ctx, e.objects, say)
}
