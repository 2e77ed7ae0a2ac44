package handover

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/install"
)

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
	namespace := t.hub.Namespace
	if t.Install == nil {
		return gitops.Problemf(gitops.NotReady, "cannot take over: the engine is not installed in namespace %s; nothing was changed", namespace).
			Do("have it installed by adding --install, or install it with no replica yet:\n  " + installCommand(namespace))
	}
	lacking, err := install.PlanEngine(ctx, t.hub.Config, t.clients, t.Install)
	t.lacking = lacking
	return err
}

// installCommand is what a person runs to have an engine that a takeover starts.
func installCommand(namespace string) string {
	return "helm install causeway deploy/charts/causeway --namespace " + namespace + " --set replicas=0 --set image.repository=IMAGE --set image.tag=TAG --set destination.clusterAdmin=true"
}
