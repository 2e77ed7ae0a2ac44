package plan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Input is what a plan is made of.
type Input struct {
	Set *Set
	// Live are the objects of the cluster that are desired or whose tracking
	// id names the application.
	Live map[gitops.Key]*gitops.Live
	// Known tells that an object of this digest is known to equal a live
	// object of this fingerprint. It may be nil.
	Known func(key gitops.Key, digest, fingerprint string) bool

	// Prune deletes objects that are no longer desired.
	Prune bool
	// Approved allows deletions that ask for confirmation.
	Approved bool
	// Hooks run; without it they are left out, as in a sync of some objects.
	Hooks bool
	// Heal undoes drift only: objects that another application holds are left to it.
	Heal bool
	// Gone tells that an application of this tracking name is no longer there:
	// what it held is free. It may be nil.
	Gone func(app string) bool
	// Only restricts the plan to some objects; nil means all.
	Only func(gitops.Key) bool

	// Revision and Started name the objects of hooks with generateName.
	Revision string
	Started  time.Time
	// Ran tells that this operation has applied a hook already, before the
	// engine started again. It may be nil.
	Ran func(gitops.Phase, gitops.Key) bool
}

// Make compares the desired with the live objects and lays out the waves.
// It is quick when nothing has changed: a map look-up an object.
func Make(in Input) (*gitops.Plan, error) {
	if in.Set == nil {
		return nil, errors.New("cannot plan without a desired set")
	}
	m := maker{Input: in, desired: make(map[gitops.Key]bool, len(in.Set.Objects))}
	for i := range in.Set.Objects {
		m.add(&in.Set.Objects[i])
	}
	m.addPrunes()
	p := &gitops.Plan{
		Waves:    order(m.tasks, in.Set.namespace, in.Set.options.PruneLast),
		Warnings: append(append([]gitops.Warning(nil), in.Set.Warnings...), m.warnings...),
	}
	p.Waves = append(m.namespaceWave(), p.Waves...)
	p.Sync = Verdict(p)
	return p, nil
}

// Verdict is the sync code of the whole application: OutOfSync as soon as one
// action of its own state is. Call it again after actions were confirmed.
func Verdict(p *gitops.Plan) gitops.SyncCode {
	for _, w := range p.Waves {
		for i := range w.Actions {
			if counts(&w.Actions[i]) && w.Actions[i].Sync != gitops.Synced {
				return gitops.OutOfSync
			}
		}
	}
	return gitops.Synced
}

// counts leaves out hooks, the created Namespace, and extra objects that the
// user asked not to see.
func counts(a *gitops.Action) bool {
	return !a.Hook && !a.Namespace && (a.Desired != nil || !a.Options.IgnoreExtra)
}

type maker struct {
	Input

	desired  map[gitops.Key]bool
	tasks    []task
	warnings []gitops.Warning
}

func (m *maker) add(o *Object) {
	m.desired[o.Key] = true
	switch {
	case m.Only != nil && !m.Only(o.Key), o.Hook.Skipped, o.Hook.Ignored:
		return
	case o.Hook.Is:
		m.addHook(o)
		return
	}
	action := m.compare(o)
	m.tasks = append(m.tasks, task{phase: gitops.Sync, wave: o.Wave, action: action, defines: o.defines})
}

// compare decides what an ordinary object needs.
func (m *maker) compare(o *Object) gitops.Action {
	a := gitops.Action{
		Key: o.Key, Desired: &o.Manifest, Digest: o.Digest, Live: m.Live[o.Key],
		Ignore: o.Ignore, Options: o.Options, Sync: gitops.OutOfSync,
	}
	if a.Live == nil {
		a.Verb, a.Reason = gitops.Create, "it is not there"
		return a
	}
	holder := m.holder(a.Live)
	if holder != "" {
		m.warnShared(o, holder)
	}
	switch {
	case a.Live.Deleting:
		a.Verb, a.Reason = gitops.Skip, "the live object is being deleted; it is created again when it is gone"
	case holder != "" && m.Heal:
		a.Verb, a.Reason = gitops.Skip, fmt.Sprintf("application %q holds it", holder)
	case !a.Live.Foreign && m.known(o, a.Live):
		a.Verb, a.Sync = gitops.Keep, gitops.Synced
	default:
		a.Verb, a.Suspect, a.Reason = gitops.Update, true, reason(a.Live, holder)
	}
	return a
}

func reason(live *gitops.Live, holder string) string {
	switch {
	case holder != "":
		return fmt.Sprintf("it is taken over from application %q", holder)
	case live.Foreign:
		return "its fields are taken over from another tool"
	case live.Fingerprint == "":
		return "it was not made by this engine"
	}
	return "it differs, or was not compared yet"
}

func (m *maker) known(o *Object, live *gitops.Live) bool {
	return m.Known != nil && live.Fingerprint != "" && m.Known(o.Key, o.Digest, live.Fingerprint)
}

// holder names the other application that the tracking id of a desired
// object points to. An id that was copied from another object names nobody.
func (m *maker) holder(live *gitops.Live) string {
	app, ok := trackedBy(live)
	if !ok || app == m.Set.tracking || (m.Gone != nil && m.Gone(app)) {
		return ""
	}
	return app
}

func (m *maker) warnShared(o *Object, holder string) {
	m.warnings = append(m.warnings, gitops.Warning{
		Reason:  "SharedResourceWarning",
		Message: fmt.Sprintf("%s is part of applications %s and %s", o.Key, m.Set.tracking, holder),
		Origin:  o.Origin,
	})
}

// trackedBy reads the tracking id of a live object. It counts only when it is
// the object's own: controllers copy annotations to objects that they make.
func trackedBy(live *gitops.Live) (app string, ok bool) {
	app, id, ok := gitops.ParseTrackingID(live.Tracking)
	if live.Key.Namespace == "" {
		id.Namespace = ""
	}
	return app, ok && id == live.Key
}

func (m *maker) addHook(o *Object) {
	if !m.Hooks {
		return
	}
	for i, phase := range o.Hook.Phases {
		a := gitops.Action{
			Verb: gitops.Create, Key: o.Key, Desired: &o.Manifest, Digest: o.Digest, Reason: "it is a hook",
			Sync: gitops.Synced, Hook: true, Options: o.Options,
		}
		if o.Key.Name == "" {
			m.nameHook(&a, phase)
		}
		a.Live = m.Live[a.Key]
		again := a.Live != nil || i > 0
		switch {
		case a.Live != nil && m.Ran != nil && m.Ran(phase, a.Key):
			a.Verb, a.Reason = gitops.Keep, "the hook has been started"
		case again && hasPolicy(o.Hook, BeforeHookCreation):
			a.Recreate = true
		case again:
			a.Verb = gitops.Update
		}
		m.tasks = append(m.tasks, task{phase: phase, wave: o.Wave, action: a, defines: o.defines})
	}
}

func hasPolicy(h Hook, p DeletePolicy) bool {
	for _, policy := range h.Policies {
		if policy == p {
			return true
		}
	}
	return false
}

// nameHook gives a hook with generateName the name that it has in this sync.
func (m *maker) nameHook(a *gitops.Action, phase gitops.Phase) {
	object := shallow(a.Desired.Object)
	revision := m.Revision
	if len(revision) > 7 {
		revision = revision[:7]
	}
	object.SetName(fmt.Sprintf("%s%s-%s-%d", object.GetGenerateName(), revision, strings.ToLower(string(phase)), m.Started.Unix()))
	object.SetGenerateName("")
	a.Key.Name = object.GetName()
	a.Desired = &gitops.Manifest{Object: object, Origin: a.Desired.Origin}
}

// namespaceWave is the wave before all others, when a Namespace has to be made or changed.
func (m *maker) namespaceWave() []gitops.Wave {
	o := m.Set.Namespace
	if o == nil {
		return nil
	}
	a := gitops.Action{
		Verb: gitops.Create, Key: o.Key, Desired: &o.Manifest, Digest: o.Digest, Live: m.Live[o.Key],
		Reason: "CreateNamespace=true", Sync: gitops.OutOfSync, Namespace: true, Options: o.Options,
	}
	if a.Live != nil {
		if o.bare() || a.Live.Deleting || m.known(o, a.Live) {
			return nil
		}
		a.Verb, a.Suspect, a.Reason = gitops.Update, true, "managedNamespaceMetadata"
	}
	return []gitops.Wave{{Phase: gitops.PreSync, Actions: []gitops.Action{a}}}
}
