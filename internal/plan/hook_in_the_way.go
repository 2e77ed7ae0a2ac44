package plan

import (
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// MadeAsHook reports whether a live object is what a hook of an application left:
// it says itself that it is a hook, under the application's id for itself.
func MadeAsHook(l *gitops.Live, tracking string) bool {
	app, ok := trackedBy(l)
	return ok && app == tracking && ParseHook(l.Annotations).Is
}

// weigh tells what becomes of the object that a hook finds in its place. What
// an earlier hook left is there to go. Anything else that becomes a hook goes
// sooner or later, whichever delete policy it has: it is a deletion like any other.
func (m *maker) weigh(o *Object, a *gitops.Action) {
	if a.Live == nil {
		return
	}
	a.Remains = MadeAsHook(a.Live, m.Set.tracking)
	if a.Over && !a.Remains {
		a.Live = nil // the hook has ended; this is another object of its name
		return
	}
	a.Goes = a.Verb != gitops.Keep || hasPolicy(o.Hook, HookSucceeded) || hasPolicy(o.Hook, HookFailed)
	if a.Remains {
		return
	}
	// Another application's hook of the same revision and second bears the name
	// of this run as well: it is no more this one's than what would be deleted.
	if holder := m.holder(a.Live); holder != "" {
		m.refuseHook(a, holder)
		return
	}
	if a.Goes {
		m.askFirst(a)
	}
}

// refuseHook stops a sync with a hook whose object would be another application's,
// or is what a hook of that one left.
func (m *maker) refuseHook(a *gitops.Action, holder string) {
	m.warnShared(a.Key, a.Desired.Origin, holder)
	a.Goes = false
	a.Fault = gitops.Problemf(gitops.Forbidden, "cannot run hook %s: it is part of application %s, which it is left to", a.Key, holder).
		At(a.Desired.Origin).Do("give the hook another name; where that application has it no more, delete the object")
}

// askFirst heeds what an object that becomes a hook says of its deletion.
func (m *maker) askFirst(a *gitops.Action) {
	app := gitops.Options{}
	if m.ours(a.Live) {
		app = m.Set.options
	}
	switch o := objectOptions(app, a.Live.Annotations); {
	case a.Live.Deleting:
	case o.PruneDisabled || o.DeleteDisabled:
		a.Goes = false
		a.Fault = gitops.Problemf(gitops.Forbidden, "cannot run hook %s: an object of its name is there, which would be deleted, and its sync options or its resource policy keep it", a.Key).
			At(a.Desired.Origin).Do("give the hook another name, or take that off the object first")
	case (o.NeedsConfirming || o.ConfirmDelete) && !m.Approved:
		a.Verb, a.Reason, a.Recreate, a.Goes = gitops.Skip, unconfirmed, false, false
	}
}
