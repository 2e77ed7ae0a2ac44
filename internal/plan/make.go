package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
	// object of this fingerprint or content. It may be nil.
	Known func(key gitops.Key, digest, live string) bool

	// Prune deletes objects that are no longer desired.
	Prune bool
	// Approved allows deletions that ask for confirmation.
	Approved bool
	// Hooks run; without it they are left out, as in a sync of some objects.
	Hooks bool
	// Heal undoes drift only: objects that another application holds are left to it.
	Heal bool
	// Gone reports whether an application of this tracking name is no longer
	// there, or has let go of an object: that is free. It may be nil.
	Gone func(app string, held gitops.Key) bool
	// Taken names, of objects that would be deleted or may be made anew, those
	// that another application has in its sources, with its name. It is asked
	// once, and only where there are such. It may be nil.
	Taken func([]gitops.Key) (map[gitops.Key]string, error)
	// Only restricts the plan to some objects; nil means all.
	Only func(gitops.Key) bool

	// Revision and Started name the objects of hooks with generateName.
	Revision string
	Started  time.Time
	// Ran tells how far a hook came in this operation before the engine
	// started again. It may be nil.
	Ran func(gitops.Phase, gitops.Key) HookState
	// Force allows to delete and create again what cannot be changed.
	Force bool
}

// Make compares the desired with the live objects and lays out the waves.
// It is quick when nothing has changed: a map look-up an object.
func Make(in Input) (*gitops.Plan, error) {
	if in.Set == nil {
		return nil, errors.New("cannot plan without a desired set")
	}
	m := maker{Input: in, desired: make(map[gitops.Key]bool, len(in.Set.Objects)), held: map[gitops.Key]string{}}
	for i := range in.Set.Objects {
		m.add(i+1, &in.Set.Objects[i])
	}
	m.addPrunes()
	m.force()
	if err := m.leaveTaken(); err != nil {
		return nil, err
	}
	p := &gitops.Plan{
		Waves:    order(m.tasks, in.Set.namespace, in.Set.options.PruneLast),
		Warnings: append(append([]gitops.Warning(nil), in.Set.Warnings...), m.warnings.List()...),
	}
	p.Waves = append(m.namespaceWave(), p.Waves...)
	p.Sync = Verdict(p)
	return p, nil
}

// force spreads the operation's wish over the actions. What another
// application holds is changed, and not made anew.
func (m *maker) force() {
	for i := range m.tasks {
		a := &m.tasks[i].action
		a.Options.Force = (a.Options.Force || m.Force) && (a.Hook || m.held[a.Key] == "")
	}
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

	desired map[gitops.Key]bool
	// held are the objects that other applications hold, with their names.
	held map[gitops.Key]string
	// healed are lists of fields whose drift is undone, by the first of those that they are of.
	healed   map[*gitops.FieldDrift][]gitops.FieldDrift
	tasks    []task
	warnings gitops.Warnings
}

// add takes an object up, which is in its place among those of the set.
func (m *maker) add(place int, o *Object) {
	m.desired[o.Key] = true
	switch {
	case m.Only != nil && !m.Only(o.Key), o.Hook.Skipped, o.Hook.Ignored:
		return
	case o.Hook.Is:
		m.addHook(place, o)
		return
	}
	action := m.compare(o)
	action.Place = place
	m.tasks = append(m.tasks, task{phase: gitops.Sync, wave: o.Wave, action: action, defines: o.defines})
}

// compare decides what an ordinary object needs.
func (m *maker) compare(o *Object) gitops.Action {
	a := gitops.Action{
		Key: o.Key, Desired: &o.Manifest, Digest: o.Digest, Live: m.Live[o.Key],
		Ignore: o.Ignore, Drift: m.driftOf(o), Options: o.Options, Sync: gitops.OutOfSync, Fault: o.Fault,
	}
	if a.Live == nil {
		a.Verb, a.Reason = gitops.Create, "it is not there"
		return a
	}
	holder := m.holder(a.Live)
	if holder != "" {
		m.warnShared(o.Key, o.Origin, holder)
		m.held[o.Key] = holder
		a.Holder = holder
		m.refuseOwners(&a, holder)
	}
	switch {
	case a.Live.Deleting:
		a.Verb, a.Reason = gitops.Skip, "the live object is being deleted; it is created again when it is gone"
		if m.known(o, a.Live) || m.alike(o, a.Live) {
			a.Sync = gitops.Synced // as long as it is there
		}
	case holder != "" && m.Heal:
		a.Verb, a.Reason = gitops.Skip, fmt.Sprintf("application %q holds it", holder)
	case (!a.Live.Foreign || o.Options.KeepOwners) && m.known(o, a.Live):
		a.Verb, a.Sync = gitops.Keep, gitops.Synced
	case m.alike(o, a.Live):
		a.Verb, a.Sync, a.Reason = gitops.Update, gitops.Synced, gitops.TakenOver
	default:
		a.Verb, a.Suspect, a.Reason = gitops.Update, true, reason(a.Live, holder)
	}
	return a
}

// driftOf is what becomes of deviations of an object in this sync.
func (m *maker) driftOf(o *Object) gitops.Drift {
	if m.Heal {
		return m.healing(o.Drift)
	}
	return o.Drift
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

// alike reports whether a live object is as desired although others own fields that
// an apply would make ours.
func (m *maker) alike(o *Object, live *gitops.Live) bool {
	return m.Known != nil && live.Content != "" && m.Known(o.Key, o.Digest, live.Content)
}

// holder names the other application that the tracking id of a desired
// object points to. An id that was copied from another object names nobody.
func (m *maker) holder(live *gitops.Live) string {
	app, ok := trackedBy(live)
	if !ok || app == m.Set.tracking || (m.Gone != nil && m.Gone(app, live.Key)) {
		return ""
	}
	return app
}

func (m *maker) warnShared(k gitops.Key, at gitops.Origin, holder string) {
	m.warnings.Add(gitops.Warning{
		Reason:  "SharedResourceWarning",
		Message: fmt.Sprintf("%s is part of applications %s and %s", k, m.Set.tracking, holder),
		Origin:  at,
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

func (m *maker) addHook(place int, o *Object) {
	if !m.Hooks {
		return
	}
	anew := false // the object of a later phase is not the one that is there now
	for i, phase := range o.Hook.Phases {
		a := gitops.Action{
			Verb: gitops.Create, Key: o.Key, Desired: &o.Manifest, Digest: o.Digest, Reason: "it is a hook",
			Sync: gitops.Synced, Hook: true, Options: o.Options, Fault: o.Fault, Place: place, For: phase,
		}
		m.shapeHook(o, &a)
		if !anew {
			a.Live = m.Live[a.Key]
		}
		again := a.Live != nil || i > 0
		switch {
		case m.ran(phase, a.Key) == HookOver:
			a.Verb, a.Reason, a.Over = gitops.Keep, "the hook ran in this sync", true
		case a.Live != nil && (m.ran(phase, a.Key) == HookStarted || m.made(a.Live, phase)):
			a.Verb, a.Reason = gitops.Keep, "the hook has been started"
		case again && hasPolicy(o.Hook, BeforeHookCreation):
			a.Recreate = true
		case again:
			a.Verb = gitops.Update
		}
		anew = anew || a.Verb != gitops.Keep
		m.weigh(o, &a)
		m.tasks = append(m.tasks, task{phase: phase, wave: o.Wave, action: a, defines: o.defines})
	}
}

// HookState is how far a hook has come in an operation.
type HookState int

// The states of hooks.
const (
	// HookPending hooks have not been started.
	HookPending HookState = iota
	// HookStarted ones have, and nobody has seen their end.
	HookStarted
	// HookOver ones ended well.
	HookOver
)

func (m *maker) ran(phase gitops.Phase, k gitops.Key) HookState {
	if m.Ran == nil {
		return HookPending
	}
	return m.Ran(phase, k)
}

// shapeHook makes of an object the one that its hook makes in this sync.
func (m *maker) shapeHook(o *Object, a *gitops.Action) {
	if o.Key.Name == "" {
		m.nameHook(a)
	}
	if a.For != gitops.PreDelete && a.For != gitops.PostDelete {
		holdHook(a)
	}
	m.nameRun(a)
}

// holdHook gives a hook the finalizer that it has until it is done. The live
// object may have been deleted by somebody while it runs.
func holdHook(a *gitops.Action) {
	object := shallow(a.Desired.Object)
	if finalizers := object.GetFinalizers(); !slices.Contains(finalizers, gitops.FinalizerHook) {
		object.SetFinalizers(append(slices.Clone(finalizers), gitops.FinalizerHook))
	}
	a.Desired = a.Desired.With(object)
}

// nameRun writes into a hook which sync it belongs to. The sync's own record
// may be lost with the engine; the object tells it all the same.
func (m *maker) nameRun(a *gitops.Action) {
	object := shallow(a.Desired.Object)
	annotations := maps.Clone(object.GetAnnotations())
	annotations[gitops.AnnotationHookRun] = m.run(a.For)
	object.SetAnnotations(annotations)
	a.Desired = a.Desired.With(object)
}

// run names a phase of this sync.
func (m *maker) run(phase gitops.Phase) string {
	return fmt.Sprintf("%s-%s-%d", shortRevision(m.Revision), strings.ToLower(string(phase)), m.Started.Unix())
}

// shortRevision is the beginning of a revision as names of objects may have it: that
// of a chart is a version, and that of an OCI artifact a digest with its algorithm.
func shortRevision(revision string) string {
	const shown = 7
	if _, digest, is := strings.Cut(revision, ":"); is {
		revision = digest
	}
	short := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(revision[:min(len(revision), shown)]))
	return strings.TrimRight(short, ".-")
}

// made reports whether this sync has made a hook. One that failed is made again.
func (m *maker) made(live *gitops.Live, phase gitops.Phase) bool {
	return live.Annotations[gitops.AnnotationHookRun] == m.run(phase) && !live.Deleting && live.Health.Code != gitops.Degraded
}

func hasPolicy(h Hook, p DeletePolicy) bool {
	for _, policy := range h.Policies {
		if policy == p {
			return true
		}
	}
	return false
}

// maxGenerated is the most characters of a generated name, as API servers
// have it: the name of a Job is the value of a label of its Pods.
const maxGenerated = 63

// nameHook gives a hook with generateName the name that it has in this sync.
func (m *maker) nameHook(a *gitops.Action) {
	object := shallow(a.Desired.Object)
	prefix, run := object.GetGenerateName(), m.run(a.For)
	object.SetName(prefix[:min(len(prefix), maxGenerated-len(run))] + run)
	object.SetGenerateName("")
	a.Key.Name = object.GetName()
	// The id that it had names no object, so that nobody would see how it fares.
	m.Set.retrack(object, a.Key)
	a.Desired = a.Desired.With(object)
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
	a.Options.Force = false // nobody means all that is in it
	if a.Live != nil {
		if o.bare() || a.Live.Deleting {
			return nil
		}
		a.Verb, a.Suspect, a.Reason = gitops.Update, true, "managedNamespaceMetadata"
		if m.known(o, a.Live) {
			a.Verb, a.Suspect, a.Sync = gitops.Keep, false, gitops.Synced
		}
	}
	return []gitops.Wave{{Phase: gitops.PreSync, Actions: []gitops.Action{a}}}
}
