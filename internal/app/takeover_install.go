package app

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// lacking is an engine that is to be installed.
type lacking struct {
	installer *installer
	objects   installation
}

// prepareEngine looks whether the engine is there or can be installed, while
// Argo CD still runs.
func (t *Takeover) prepareEngine(ctx context.Context) error {
	if t.External {
		return nil
	}
	names, err := t.own(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return t.prepareInstall(ctx)
	}
	if t.Install != nil {
		t.Say("the engine is installed already and is taken as it is")
	}
	return nil
}

// prepareInstall plans the installation of an engine that is not there.
func (t *Takeover) prepareInstall(ctx context.Context) error {
	namespace := t.inspector.cfg.Namespace
	if t.Install == nil {
		return gitops.Problemf(gitops.NotReady, "cannot take over: the engine is not installed in namespace %s; nothing was changed", namespace).
			Do("have it installed by adding --install, or install it with no replica yet:\n  " + installCommand(namespace))
	}
	facts, err := hubFacts(t.clients)
	if err != nil {
		return err
	}
	engine, err := t.Install.Objects(facts)
	if err != nil {
		return err
	}
	definitions, err := deploy.Definitions()
	if err != nil {
		return err
	}
	i, err := newInstaller(t.inspector.cfg.Hub)
	if err != nil {
		return err
	}
	i.adopts = true // as a takeover does with all that it finds
	objects, err := i.plan(ctx, slices.Concat(definitions, []*unstructured.Unstructured{bootstrap.Namespace(t.Install.Namespace)}, engine), nil, nil)
	if err != nil {
		return err
	}
	t.lacking = &lacking{i, objects}
	return nil
}

// installCommand is what a person runs to have an engine that a takeover starts.
func installCommand(namespace string) string {
	return "helm install causeway deploy/charts/causeway --namespace " + namespace + " --set replicas=0 --set image.repository=IMAGE --set image.tag=TAG --set destination.clusterAdmin=true"
}
