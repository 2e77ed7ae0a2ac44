package handover

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// Hub is where an engine takes the place of Argo CD.
type Hub struct {
	Config *rest.Config
	Client client.Client
	// Namespace is the control namespace.
	Namespace string
	// ApplicationNamespaces are those besides it; nil for what the hub itself says.
	ApplicationNamespaces []string
	// Parser reads cluster Secrets as the engine does.
	Parser fleet.Parser
	// Now is the clock that the record goes by.
	Now func() time.Time
	Log *slog.Logger
}

// Installation reads what the hub has of Argo CD. It writes nothing.
func (h Hub) Installation(ctx context.Context) (*takeover.Installation, error) {
	out := &takeover.Installation{Namespace: h.Namespace}
	clients, err := kubernetes.NewForConfig(h.Config)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	if out.Workloads, err = hub.ArgoWorkloads(ctx, clients, h.Namespace); err != nil {
		return nil, err
	}
	for name, into := range map[string]*map[string]string{v1alpha1.SettingsName: &out.Settings, hub.ParamsMap: &out.Params, "argocd-rbac-cm": &out.RBAC} {
		if *into, err = follow.Read(ctx, h.Client, h.Namespace, name); err != nil {
			return nil, fmt.Errorf("cannot read ConfigMap %s: %w", name, err)
		}
	}
	if err := h.describedSecrets(ctx, out); err != nil {
		return nil, err
	}
	return out, h.declared(ctx, out)
}

// describedSecrets counts the Secrets of clusters and repositories, and names
// those that cannot be used.
func (h Hub) describedSecrets(ctx context.Context, out *takeover.Installation) error {
	which, err := hub.Describing()
	if err != nil {
		return err
	}
	var list corev1.SecretList
	if err := h.Client.List(ctx, &list, client.InNamespace(h.Namespace), client.MatchingLabelsSelector{Selector: which}); err != nil {
		return fmt.Errorf("cannot list the Secrets of clusters and repositories: %w", err)
	}
	for j := range list.Items {
		s := &list.Items[j]
		switch s.Labels[v1alpha1.LabelSecretType] {
		case v1alpha1.SecretTypeCluster:
			out.Clusters++
			_, _, err = h.Parser.Parse(s)
		case v1alpha1.SecretTypeRepoCreds:
			out.Templates++
			_, err = source.ParseRepository(s)
		default:
			out.Repositories++
			_, err = source.ParseRepository(s)
		}
		if err != nil {
			out.Unreadable = append(out.Unreadable, s.Name+": "+err.Error())
		}
	}
	return nil
}

// declared reads projects, sets and Applications: those of all namespaces that
// the installation looks at.
func (h Hub) declared(ctx context.Context, out *takeover.Installation) error {
	var projects v1alpha1.AppProjectList
	if err := h.Client.List(ctx, &projects, client.InNamespace(h.Namespace)); err != nil {
		return fmt.Errorf("cannot list AppProjects: %w", err)
	}
	ours, err := hub.ReadNamespaces(h.Config, h.Namespace, h.ApplicationNamespaces, h.Log)
	if err != nil {
		return err
	}
	where := []client.ListOption{client.InNamespace(ours.Control)}
	if len(ours.Others) > 0 || out.Params["applicationsetcontroller.namespaces"] != "" {
		where = nil
	}
	var sets v1alpha1.ApplicationSetList
	if err := h.Client.List(ctx, &sets, where...); err != nil {
		return fmt.Errorf("cannot list ApplicationSets: %w", err)
	}
	var apps v1alpha1.ApplicationList
	if err := h.Client.List(ctx, &apps, where...); err != nil {
		return fmt.Errorf("cannot list Applications: %w", err)
	}
	theirs := hub.SplitList(out.Params["applicationsetcontroller.namespaces"])
	out.Projects = projects.Items
	out.Sets = slices.DeleteFunc(sets.Items, func(s v1alpha1.ApplicationSet) bool {
		return s.Namespace != ours.Control && !policy.NamespaceListed(theirs, s.Namespace)
	})
	out.Applications = slices.DeleteFunc(apps.Items, func(a v1alpha1.Application) bool { return !ours.Covers(a.Namespace) })
	return nil
}
