package application

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// children looks up live objects for a wave. An Application counts as
// Progressing until it was compared with the commit that its parent is at,
// where both read the same one: what its status says is about the time before.
// That commit is the one that the parent was compared with just now: its sync
// may have begun at an earlier one, from which the children have gone on.
func (r *Reconciler) children(ctx context.Context, t *state.Target, live map[gitops.Key]*gitops.Live) func(gitops.Key) *gitops.Live {
	if r.Looks == nil || t.Brought != nil || !gitops.IsHub(t.Cluster.Desc().Server) {
		return func(k gitops.Key) *gitops.Live { return live[k] }
	}
	parent := comparisons.At(t.Sources, t.Revisions)
	return func(k gitops.Key) *gitops.Live {
		l := live[k]
		if l == nil || l.Deleting || k.Group != v1alpha1.Group || k.Kind != v1alpha1.ApplicationKind {
			return l
		}
		name := types.NamespacedName{Namespace: k.Namespace, Name: k.Name}
		if r.rests(ctx, name, l.Annotations) {
			return l
		}
		child, ok := r.Looks.Of(name, l.UID)
		if ok && !child.Behind(parent) || !ok && k.Namespace != r.Namespace { // another engine may have that namespace
			return l
		}
		behind := *l
		behind.Health = gitops.Health{Code: gitops.Progressing, Message: unseen(l.Health)}
		return &behind
	}
}

// unseen is what an Application is waited for that was not compared yet. One
// that is not healthy is waited for anyway: the reason for that tells more.
func unseen(h gitops.Health) string {
	if h.Code == "" || h.Code == gitops.Healthy || h.Code == gitops.HealthUnknown {
		return "Waiting for a comparison with the newest commit"
	}
	return cmp.Or(h.Message, string(h.Code))
}
