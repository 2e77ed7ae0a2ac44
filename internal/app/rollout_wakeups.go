package app

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// rollPause is how long changes of its Applications are gathered before a set
// that rolls out in steps looks at them.
const rollPause = 50 * time.Millisecond

// compared notes what an Application was compared with, and wakes those who
// may wait for that: where a commit changes nothing, the status tells of
// nothing.
func (e *Engine) compared(app *v1alpha1.Application, revisions []string) {
	if !e.looks.Note(app, revisions) {
		return
	}
	if owner := applicationset.Owner(app); owner != nil {
		if set := (types.NamespacedName{Namespace: app.Namespace, Name: owner[0]}); e.rollouts.Rolls(set) {
			e.router.sets.bell.RingAfter(set, rollPause)
		}
	}
	if tracking, _, ok := gitops.ParseTrackingID(app.Annotations[gitops.AnnotationTracking]); ok {
		if parent := e.router.name(tracking); e.looks.Busy(parent) {
			e.router.apps.RingAfter(parent, together)
		}
	}
	e.router.depended(gitops.HubServer, hubKey(v1alpha1.ApplicationKind, app), app.Spec.GetProject())
}

func hubKey(kind string, o client.Object) gitops.Key {
	return gitops.Key{Group: v1alpha1.Group, Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}

// hubChanges wakes those who wait for an Application or ApplicationSet.
func (e *Engine) hubChanges(kind string) handler.EventHandler {
	changed := func(o client.Object) { e.router.depended(gitops.HubServer, hubKey(kind, o), projectOf(o)) }
	return handler.Funcs{
		CreateFunc: func(_ context.Context, c event.CreateEvent, _ queue) { changed(c.Object) },
		UpdateFunc: func(_ context.Context, u event.UpdateEvent, _ queue) { changed(u.ObjectNew) },
		DeleteFunc: func(_ context.Context, d event.DeleteEvent, _ queue) { changed(d.Object) },
	}
}

// projectOf is the project of an Application, or of those that a set makes.
func projectOf(o client.Object) string {
	switch o := o.(type) {
	case *v1alpha1.Application:
		return o.Spec.GetProject()
	case *v1alpha1.ApplicationSet:
		return o.Spec.Template.Spec.GetProject()
	}
	return ""
}

// depended wakes the applications that wait for an object; project is that of
// an Application or a set. Who may write one may change it without end, and each
// look reads all that is depended on.
func (r *router) depended(server string, key gitops.Key, project string) {
	for _, name := range r.waits.On(server, key, project) {
		r.apps.RingAfter(name, r.pace.Pause(name, together))
	}
}

// dependedOn wakes those that wait for anything on a cluster: whether it
// answers is part of what they say.
func (r *router) dependedOn(server string) {
	for _, name := range r.waits.OnServer(server) {
		r.apps.RingAfter(name, r.pace.Pause(name, together))
	}
}
