package serve

import (
	"context"
	"fmt"

	"golang.org/x/time/rate"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// sets looks at ApplicationSets, and asks for their expansion.
type sets struct {
	on        *Options
	trail     *trail.Trail
	refreshes *session.Tries
}

func newSets(o *Options, trail *trail.Trail) sets {
	return sets{o, trail, session.NewTries(rate.Every(refreshEvery), refreshBurst)}
}

// Expand tells what a set gives now.
func (s sets) Expand(ctx context.Context, set *v1alpha1.ApplicationSet, look api.SetLook) (*api.Expansion, error) {
	return s.on.Expand(ctx, set, look)
}

// RefreshSet asks the engine to expand a set anew. As with Applications, who
// may read it may ask: the engine writes.
func (s sets) RefreshSet(ctx context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error {
	if u == nil {
		return errNobody
	}
	if err := s.refreshes.Take("set " + set.Namespace + "/" + set.Name + " " + u.Person()); err != nil {
		return fmt.Errorf("cannot refresh ApplicationSet %s: %w", set.Name, err)
	}
	now := set.DeepCopy()
	if now.Annotations == nil {
		now.Annotations = map[string]string{}
	}
	now.Annotations[v1alpha1.AnnotationApplicationSetRefresh] = "true"
	patch := client.MergeFrom(set)
	text, err := patch.Data(now)
	if err != nil {
		return fmt.Errorf("cannot encode the change: %w", err)
	}
	e := &audit.Entry{
		Verb: "refresh", Resource: "applicationsets", Project: set.Spec.Template.Spec.GetProject(), Namespace: set.Namespace, Name: set.Name,
		Changes: trail.Changes(set, text),
	}
	if err := s.trail.Begin(ctx, u, e); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	err = explained(s.on.Client.Patch(bounded, now, patch, fieldOwner), "ApplicationSet", view.Key{Namespace: set.Namespace, Name: set.Name})
	s.trail.Failed(ctx, u, e, err)
	return err
}
