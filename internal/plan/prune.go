package plan

import (
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// unconfirmed is the reason of a prune that waits for a person.
const unconfirmed = "it waits for a confirmation: Prune=confirm"

// addPrunes adds the live objects of the application that are no longer desired.
func (m *maker) addPrunes() {
	if m.Set.Namespace != nil {
		m.desired[m.Set.Namespace.Key] = true // what it asks for is there to stay, whoever brought it
	}
	for key, live := range m.Live {
		if m.desired[key] || m.Only != nil && !m.Only(key) || !m.ours(live) || m.Set.leavesAlone(key) {
			continue
		}
		hook := ParseHook(live.Annotations)
		if hook.Is || hook.Skipped {
			continue
		}
		m.tasks = append(m.tasks, task{phase: gitops.Sync, wave: WaveOf(live.Annotations), action: m.prune(live)})
	}
}

// leaveTaken keeps what would be deleted and is in the sources of another
// application: that one makes it its own when it syncs. What would be made anew
// is changed in its place, and a hook of its name cannot run.
func (m *maker) leaveTaken() error {
	var going []gitops.Key
	for i := range m.tasks {
		if a := &m.tasks[i].action; mayGo(a) {
			going = append(going, a.Key)
		}
	}
	if len(going) == 0 || m.Taken == nil {
		return nil
	}
	taken, err := m.Taken(going)
	if err != nil {
		return err
	}
	for i := range m.tasks {
		a := &m.tasks[i].action
		app := taken[a.Key]
		switch {
		case app == "" || !mayGo(a):
		case a.Verb == gitops.Prune:
			a.Verb, a.Reason = gitops.Skip, fmt.Sprintf("application %q has it in its sources, so it is left to that", app)
		case a.Hook:
			m.refuseHook(a, app)
		default:
			a.Options.Force = false
			m.warnShared(a.Key, a.Desired.Origin, app)
		}
	}
	return nil
}

// mayGo reports whether an action may delete what is not the remains of a hook.
func mayGo(a *gitops.Action) bool {
	return a.Verb == gitops.Prune || a.Goes && !a.Remains || a.Verb == gitops.Update && a.Live != nil && a.Options.Force && !a.Hook
}

// ours reports whether the application made the object: it carries the
// application's id for itself, and no other object owns it.
func (m *maker) ours(live *gitops.Live) bool {
	app, ok := trackedBy(live)
	return ok && app == m.Set.tracking && len(live.Owners) == 0
}

func (m *maker) prune(live *gitops.Live) gitops.Action {
	a := gitops.Action{
		Verb: gitops.Prune, Key: live.Key, Live: live, Sync: gitops.OutOfSync, Reason: "it is no longer in the sources",
		Options: objectOptions(m.Set.options, live.Annotations),
	}
	switch {
	case live.Deleting:
		a.Verb, a.Reason = gitops.Skip, "it is being deleted"
	case !m.Prune:
		a.Verb, a.Reason = gitops.Skip, "it is no longer in the sources, and pruning is off"
	case unread(live.Annotations):
		a.Verb, a.Reason = gitops.Skip, "its sync options are too long to be read: shorten the annotation "+gitops.AnnotationSync
	case a.Options.PruneDisabled:
		a.Verb, a.Reason = gitops.Skip, "Prune=false keeps it"
	case a.Options.NeedsConfirming && !m.Approved:
		a.Verb, a.Reason = gitops.Skip, unconfirmed
	}
	return a
}

// Asks reports whether an action waits for a person to confirm a deletion.
func Asks(a *gitops.Action) bool { return a.Verb == gitops.Skip && a.Reason == unconfirmed }

// Refuse tells why a plan must not be carried out as it stands: it would
// delete everything in an automated sync, it touches what other applications
// own, or it waits for a person's word. nil means go ahead.
func Refuse(p *gitops.Plan, policy *v1alpha1.SyncPolicy, automated bool) error {
	if automated && PrunesAll(p, policy) {
		return gitops.Problemf(gitops.Forbidden, "cannot sync: all objects of the application would be deleted").
			Do("check the source's path and revision; set spec.syncPolicy.automated.allowEmpty to delete them all")
	}
	for _, w := range p.Waves {
		for i := range w.Actions {
			a := &w.Actions[i]
			if Asks(a) {
				return gitops.Problemf(gitops.NotReady, "waiting for pruning confirmation of %s", a.Key).
					Do("confirm it with causeway approve, or set the annotation " + v1alpha1.AnnotationDeletionApproved + " of the Application to the current time")
			}
		}
	}
	return refuseShared(p)
}

func refuseShared(p *gitops.Plan) error {
	for _, warning := range p.Warnings {
		if warning.Reason == "SharedResourceWarning" && failsOnShared(p) {
			return gitops.Problemf(gitops.Forbidden, "cannot sync: %s", warning.Message).At(warning.Origin).
				Do("remove it from one of them, or the sync option FailOnSharedResource=true")
		}
	}
	return nil
}

func failsOnShared(p *gitops.Plan) bool {
	for _, w := range p.Waves {
		for i := range w.Actions {
			if w.Actions[i].Options.FailOnShared {
				return true
			}
		}
	}
	return false
}

// PrunesAll reports whether the plan of an automated sync would delete all objects
// that the application has, and that the policy does not allow that.
func PrunesAll(p *gitops.Plan, policy *v1alpha1.SyncPolicy) bool {
	return policy.AutomatedPrune() && !policy.AutomatedAllowEmpty() && prunesAll(p)
}

// PrunesOnly reports whether nothing but objects that are no longer desired keeps
// an application from being in sync.
func PrunesOnly(p *gitops.Plan) bool {
	for _, w := range p.Waves {
		for i := range w.Actions {
			if a := &w.Actions[i]; counts(a) && a.Desired != nil && a.Sync != gitops.Synced {
				return false
			}
		}
	}
	return true
}

// prunesAll reports whether a plan has objects of the application, and all of them go.
func prunesAll(p *gitops.Plan) bool {
	prunes := 0
	for _, w := range p.Waves {
		for i := range w.Actions {
			a := &w.Actions[i]
			if a.Hook || a.Namespace {
				continue
			}
			if a.Desired != nil {
				return false
			}
			prunes++
		}
	}
	return prunes > 0
}
