package gitops

import (
	"iter"
	"time"
)

// FieldManager is the name under which the engine owns fields of live objects.
const FieldManager = "causeway"

// Verb is what an action does to an object.
type Verb string

// The verbs of a plan.
const (
	// Create applies an object that is not there.
	Create Verb = "create"
	// Update applies an object that differs, or may differ, from the live one.
	Update Verb = "update"
	// Keep leaves an object alone: it is known to be as desired.
	Keep Verb = "keep"
	// Prune deletes an object that is no longer desired.
	Prune Verb = "prune"
	// Skip leaves an object alone although it differs, for Reason.
	Skip Verb = "skip"
)

// Phase orders the parts of a sync.
type Phase string

// The phases in their order.
const (
	PreSync  Phase = "PreSync"
	Sync     Phase = "Sync"
	PostSync Phase = "PostSync"
	SyncFail Phase = "SyncFail"
)

// The phases of an application's deletion: before its objects go, and after.
const (
	PreDelete  Phase = "PreDelete"
	PostDelete Phase = "PostDelete"
)

// TakenOver is the reason of an Update that is in sync: the live object is as
// desired, and a sync makes fields ours that others own.
const TakenOver = "it is as desired; its fields are taken over"

// Action is one step for one object.
type Action struct {
	Verb Verb
	Key  Key
	// Desired is nil for a prune.
	Desired *Manifest
	// Digest names the content of Desired; empty for a prune.
	Digest string
	// Live is nil when the object is not there.
	Live *Live
	// Reason tells a person why the verb is what it is.
	Reason string
	// Sync is the comparison's result: OutOfSync for Create, Update, Prune.
	Sync SyncCode
	// Suspect marks an Update that has not been confirmed by a dry run:
	// nothing is known but that the live object changed since our last look.
	Suspect bool
	// Place is that of Desired among the objects of its set, from 1 on; 0 for
	// what is none of them.
	Place int
	// Hook tells that the object is a hook of the wave's phase.
	Hook bool
	// For is the phase that a hook was written for; what needs it may have
	// moved it to the wave of an earlier one.
	For Phase
	// Fault is why the object cannot be applied as it stands. A sync with such
	// an object does nothing at all.
	Fault error
	// Over marks a hook that ran to its end earlier in the same operation,
	// whether or not its object is still there.
	Over bool
	// Step orders actions inside a wave: those of one step may run at the
	// same time, a step starts when the one before it has been sent.
	Step int
	// Recreate deletes the live object before the desired one is applied:
	// hooks with the delete policy BeforeHookCreation.
	Recreate bool
	// Goes tells of an action that is no prune that a sync may delete the live
	// object by it: to make it anew, or at its end by a hook's delete policy.
	Goes bool
	// Remains tells of an object that Goes that an earlier hook of the same
	// application left it: to delete it is what hooks are made for.
	Remains bool
	// Disowned tells of an object that Kubernetes deletes because of a sync: it gets
	// an owner that is not there, or its owners go.
	Disowned bool
	// Namespace marks the Namespace that CreateNamespace=true asks for: it
	// is applied, but no part of the application.
	Namespace bool
	// Ignore are the differences that do not count for this object.
	Ignore Ignore
	// Drift is what becomes of live deviations of this object.
	Drift Drift
	// Deviations are the fields in which the live object differs, where a
	// comparison told them, some of each policy. Untold is how many more there are.
	Deviations []Deviation
	Untold     int
	// Holder is the other application that holds the live object, if one does.
	Holder string
	// Unheeded tells people of differences that were to be ignored, and could
	// not be, where a comparison found any.
	Unheeded []string
	// Options are the sync options in force for this object: the
	// application's, with the object's own annotation over them.
	Options Options
}

// Options are the sync options that steer one action.
type Options struct {
	Validate   bool // true unless Validate=false
	Replace    bool
	Force      bool
	KeepOwners bool // ClientSideApplyMigration=false: kubectl's fields stay kubectl's
	// Migrate is one more field manager whose fields are taken over, unless
	// KeepOwners is set; empty for none.
	Migrate         string
	PrunePolicy     Propagation
	SkipDryRun      bool
	PruneDisabled   bool // Prune=false
	DeleteDisabled  bool // Delete=false or helm.sh/resource-policy: keep
	PruneLast       bool
	FailOnShared    bool
	IgnoreHealth    bool // ignore-healthcheck: "true"
	IgnoreExtra     bool // compare-options: IgnoreExtraneous
	NoDryRun        bool // compare-options: ServerSideDiff=false
	RespectIgnored  bool
	NeedsConfirming bool // Prune=confirm
	ConfirmDelete   bool // Delete=confirm
}

// Ignore names the parts of an object whose differences do not count.
type Ignore struct {
	JSONPointers []string
	JQ           []string
	// Managers are field managers whose fields do not count.
	Managers []string
	// CountStatus lets the status count, too, which it does not otherwise.
	CountStatus bool
	// Types are fields of a custom resource of which only what they mean
	// counts, not how they are written. They are shared: nobody writes to them.
	Types []TypedField
}

// TypedField is a field that has a type of Kubernetes.
type TypedField struct {
	Field string `json:"field"` // spec.template.spec
	Type  string `json:"type"`  // core/v1/PodSpec
}

// Empty reports whether no field is left out of comparisons.
func (i Ignore) Empty() bool {
	return len(i.JSONPointers) == 0 && len(i.JQ) == 0 && len(i.Managers) == 0
}

// Wave is a set of actions of one phase and wave number, in order of their steps.
type Wave struct {
	Phase   Phase
	Number  int
	Actions []Action
}

// Plan is everything a sync of one application would do, in order.
type Plan struct {
	// Waves are in order; a wave starts when the one before it is applied
	// and healthy.
	Waves []Wave
	// Sync is the worst of all actions.
	Sync SyncCode
	// Conditions that the comparison found: repeated or shared objects,
	// denied kinds. They do not stop the plan.
	Warnings []Warning
}

// What a Result says of an object that was applied, in kubectl's words. A remark
// may follow, after a semicolon.
const (
	Created    = "created"
	Configured = "configured"
	Unchanged  = "unchanged"
)

// Pruned is what a Result says of an object that was deleted. Of one that was gone
// already, or was kept after all, it says otherwise.
const Pruned = "pruned"

// Result is what became of an action.
type Result struct {
	Key     Key
	Version string // apiVersion's version
	Verb    Verb
	Phase   Phase
	Wave    int
	Hook    bool
	// Status in the words of the Application's status: Synced, SyncFailed,
	// Pruned, PruneSkipped.
	Status  string
	Message string
	// Live is the object as the API server returned it; nil after a prune or failure.
	Live *Live
	// Deleted tells that the API server took a deletion: of what is pruned, or of
	// what had to go before it could be made anew. The rest may have failed.
	Deleted bool
	// Err is the failure of this action alone.
	Err error
	// Started and Took are when the action began and how long it took.
	Started time.Time
	Took    time.Duration
}

// All goes through all actions of a plan, with the wave of each.
func (p *Plan) All() iter.Seq2[*Action, *Wave] {
	return func(yield func(*Action, *Wave) bool) {
		for i := range p.Waves {
			for j := range p.Waves[i].Actions {
				if !yield(&p.Waves[i].Actions[j], &p.Waves[i]) {
					return
				}
			}
		}
	}
}
