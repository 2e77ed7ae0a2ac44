package serve

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Events lists those of an object in its cluster, or of the Application on
// the hub, latest first.
func (l looker) Events(ctx context.Context, app *v1alpha1.Application, ref api.Ref) ([]api.Event, error) {
	cluster, about, err := l.eventful(ctx, app, ref)
	if err != nil {
		return nil, err
	}
	ctx, end := cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	return inTime(ctx, answerTime, cluster.Desc().Name, func(ctx context.Context) ([]api.Event, error) {
		return EventsAbout(ctx, cluster.Desc().Name, cluster.RESTConfig(), about)
	})
}

// eventful is what events are asked for, and the cluster that has them.
func (l looker) eventful(ctx context.Context, app *v1alpha1.Application, ref api.Ref) (*fleet.Cluster, *corev1.ObjectReference, error) {
	if ref.Kind == "" {
		about := corev1.ObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name, UID: app.UID}
		return l.on.Fleet.Hub(), &about, nil
	}
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, nil, err
	}
	look, end := at.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	live, err := l.read(look, at, app, ref)
	if err != nil {
		return nil, nil, err
	}
	if live == nil && !l.wanted(ctx, app, ref.Key()) {
		return nil, nil, gitops.Problemf(gitops.NotFound, "%s %s is neither in the cluster nor in Git", ref.Kind, ref.Name)
	}
	about := corev1.ObjectReference{APIVersion: schema.GroupVersion{Group: ref.Group, Version: ref.Version}.String(), Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	if live != nil {
		about.UID = live.GetUID()
	}
	err = l.demand(ctx, at.Cluster, accessTo(app, "applications", "get"), right{Verb: "list", Resource: "events", Namespace: about.Namespace})
	return at.Cluster, &about, err
}

// wanted reports whether an application's sources have an object: what its
// status names and is not there may be another's.
func (l looker) wanted(ctx context.Context, app *v1alpha1.Application, key gitops.Key) bool {
	set, err := l.on.Stages.Desired(ctx, app)
	return err == nil && find(set, key) != nil
}
