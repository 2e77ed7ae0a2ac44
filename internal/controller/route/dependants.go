package route

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// rollPause is how long changes of its Applications are gathered before a set
// that rolls out in steps looks at them.
const rollPause = 50 * time.Millisecond

// Compared notes what an Application was compared with, and wakes those who
// may wait for that: where a commit changes nothing, the status tells of
// nothing.
func (r *Router) Compared(app *v1alpha1.Application, revisions []string) {
	if !r.Looks.Note(app, revisions) {
		return
	}
	if owner := applicationset.Owner(app); owner != nil {
		if set := (types.NamespacedName{Namespace: app.Namespace, Name: owner[0]}); r.Rollouts.Rolls(set) {
			r.Sets.bell.RingAfter(set, rollPause)
		}
	}
	if tracking, _, ok := gitops.ParseTrackingID(app.Annotations[gitops.AnnotationTracking]); ok {
		if parent := r.name(tracking); r.Looks.Busy(parent) {
			r.Apps.RingAfter(parent, Together)
		}
	}
	r.depended(gitops.HubServer, hubKey(v1alpha1.ApplicationKind, app), app.Spec.GetProject())
}

func hubKey(kind string, o client.Object) gitops.Key {
	return gitops.Key{Group: v1alpha1.Group, Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}

// OnHub wakes those who wait for an Application or ApplicationSet, whichever kind is said.
func (r *Router) OnHub(kind string) handler.EventHandler {
	changed := func(o client.Object) { r.depended(gitops.HubServer, hubKey(kind, o), projectOf(o)) }
	return handler.Funcs{
		CreateFunc: func(_ context.Context, c event.CreateEvent, _ wake.Queue) { changed(c.Object) },
		UpdateFunc: func(_ context.Context, u event.UpdateEvent, _ wake.Queue) { changed(u.ObjectNew) },
		DeleteFunc: func(_ context.Context, d event.DeleteEvent, _ wake.Queue) { changed(d.Object) },
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
func (r *Router) depended(server string, key gitops.Key, project string) {
	for _, name := range r.Waits.On(server, key, project) {
		r.Apps.RingAfter(name, r.pace.Pause(name, Together))
	}
}

// dependedOn wakes those that wait for anything on a cluster: whether it
// answers is part of what they say.
func (r *Router) dependedOn(server string) {
	for _, name := range r.Waits.OnServer(server) {
		r.Apps.RingAfter(name, r.pace.Pause(name, Together))
	}
}
