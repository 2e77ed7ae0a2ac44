package plan

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var (
	argoDeletionHooks = map[gitops.Phase]string{gitops.PreDelete: "PreDelete", gitops.PostDelete: "PostDelete"}
	helmDeletionHooks = map[gitops.Phase]string{gitops.PreDelete: "pre-delete", gitops.PostDelete: "post-delete"}
)

// DeletionHook reports whether annotations make an object a hook of a phase of
// the application's deletion, in Argo CD's words or in Helm's. It may be a hook
// of a sync as well.
func DeletionHook(annotations map[string]string, phase gitops.Phase) bool {
	return hasWord(annotations[gitops.AnnotationHook], argoDeletionHooks[phase]) ||
		hasWord(annotations[helmHook], helmDeletionHooks[phase])
}

// DeletesAfterSuccess reports whether a hook's object goes once it has succeeded.
func DeletesAfterSuccess(annotations map[string]string) bool {
	return slices.Contains(policies(annotations), HookSucceeded)
}

// DeletionHooks returns the set of an application's hooks of one phase of its
// deletion, ready to be planned; nil when there are none.
func (s *Set) DeletionHooks(phase gitops.Phase) *Set {
	hooks := *s
	hooks.Objects, hooks.Namespace, hooks.Warnings = nil, nil, nil
	for _, o := range s.Objects {
		if !DeletionHook(o.Object.GetAnnotations(), phase) {
			continue
		}
		o.Hook = Hook{Is: true, Types: []gitops.Phase{phase}, Phases: []gitops.Phase{phase}, Policies: o.Hook.Policies}
		hooks.Objects = append(hooks.Objects, o)
	}
	if len(hooks.Objects) == 0 {
		return nil
	}
	return &hooks
}

// Survives reports whether a live object stays when its application, with these
// sync options, is deleted with all it has: one that says so, or whose
// application does, and definitions, which would take every object of their kind
// with them.
func Survives(l *gitops.Live, list v1alpha1.SyncOptions) bool {
	return l.Key.IsDefinition() || deletionOptions(l, list).DeleteDisabled
}

// AsksBeforeDeletion reports whether a live object may go with its application
// only after a person's word. As in Argo CD, one that asks before it is pruned does too.
func AsksBeforeDeletion(l *gitops.Live, list v1alpha1.SyncOptions) bool {
	o := deletionOptions(l, list)
	return o.ConfirmDelete || o.NeedsConfirming
}

// deletionOptions puts what a live object says over what its application does.
func deletionOptions(l *gitops.Live, list v1alpha1.SyncOptions) gitops.Options {
	return objectOptions(ApplyOptions(gitops.Options{}, list), l.Annotations)
}

// Owned reports whether an application made a live object: it carries the
// application's id for itself, and no other object owns it.
func Owned(l *gitops.Live, tracking string) bool {
	app, ok := Maker(l)
	return ok && app == tracking
}

// Maker is the tracking name of the application that made a live object; not
// ok when none did, or another object owns it.
func Maker(l *gitops.Live) (tracking string, ok bool) {
	tracking, ok = trackedBy(l)
	return tracking, ok && len(l.Owners) == 0
}

// Confirmed reports whether a person has confirmed deletions since a time: the
// annotation holds a time in RFC 3339 that is not before it.
func Confirmed(annotations map[string]string, since time.Time) bool {
	at, err := time.Parse(time.RFC3339, annotations[v1alpha1.AnnotationDeletionApproved])
	return err == nil && !at.Before(since)
}
