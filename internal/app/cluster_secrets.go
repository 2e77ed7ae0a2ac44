package app

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// parser reads cluster Secrets by the installation's settings.
func (e *Engine) parser() fleet.Parser {
	p := hub.Parser(e.settings.Data, e.cfg.NoPrograms)
	p.Pause = e.cfg.Pauses.Credential
	return p
}

// reread has all cluster Secrets looked at once more: what programs they may
// name has changed.
func (e *Engine) reread(ctx context.Context) {
	var list corev1.SecretList
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := e.manager.GetClient().List(ctx, &list, client.InNamespace(e.cfg.Namespace), match); err != nil {
		return // the cache has not started: each Secret is looked at then
	}
	for i := range list.Items {
		e.router.secrets.Ring(client.ObjectKeyFromObject(&list.Items[i]))
	}
}
