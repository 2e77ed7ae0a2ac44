package app

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
)

// lacking is an engine that is to be installed.
type lacking struct {
	installer *installer
	objects   installation
}

// prepareInstall looks whether the engine has to be installed, and whether it
// can be, while Argo CD still runs.
func (t *Takeover) prepareInstall(ctx context.Context) error {
	if t.Install == nil {
		return nil
	}
	names, err := t.own(ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		t.Say("the engine is installed already and is taken as it is")
		return nil
	}
	facts, err := hubFacts(t.clients)
	if err != nil {
		return err
	}
	engine, err := t.Install.Objects(ctx, facts)
	if err != nil {
		return err
	}
	definitions, err := bootstrap.Definitions()
	if err != nil {
		return err
	}
	i, err := newInstaller(t.inspector.cfg.Hub)
	if err != nil {
		return err
	}
	objects, err := i.plan(ctx, slices.Concat(definitions, []*unstructured.Unstructured{bootstrap.Namespace(t.Install.Namespace)}, engine), nil)
	if err != nil {
		return err
	}
	t.lacking = &lacking{i, objects}
	return nil
}
