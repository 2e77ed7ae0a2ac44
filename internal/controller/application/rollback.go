package application

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// rollback finds the manifests of an operation that goes back to an earlier
// sync. It is nil when there is no such operation, or when they are not kept
// any more, or may not be used: then the sources are read at the revision of
// that time. So they are where the history does not answer, until it has
// answered an operation that runs: that waits for it.
func (r *Reconciler) rollback(ctx context.Context, project *v1alpha1.AppProject, app *v1alpha1.Application) (*state.Brought, error) {
	op := opstate.Requested(app)
	if r.Past == nil || op == nil || op.Sync == nil {
		return nil, nil
	}
	id := entryOf(app, op)
	if id == "" {
		return nil, nil
	}
	found, err := r.Past.Kept(ctx, id)
	if noRoom(err) {
		return nil, err // they are there: nothing else is gone back to
	}
	if err == nil {
		if err := returnable(app, &found.Sync); err != nil {
			return nil, err
		}
		err = known(project, found)
	}
	if err != nil {
		if op.Sync.Source == nil && op.Sync.Sources == nil {
			return nil, err // nothing else says what to go back to
		}
		if begunWithKept(app) && report.Classify(err) == report.Transient {
			return nil, err // what the sources give now may be other objects
		}
		r.Log.WarnContext(ctx, "rollback from the sources: the manifests of that time are not at hand, or may not be used", "app", app.Name, "sync", id, "error", err)
		op.Info = opstate.Without(op.Info, gitops.InfoKept) // it may have been found while the operation waited to begin
		return nil, nil
	}
	k := &state.Brought{ID: id, Server: found.Sync.Server, Rendering: found.Rendering, Origin: found.Sync.Origin}
	if err := json.Unmarshal(found.Sync.Sources, &k.Sources); err != nil {
		return nil, fmt.Errorf("cannot read the sources of sync %s: %w", id, err)
	}
	return k, nil
}

// begunWithKept reports whether an operation runs that began with kept manifests.
func begunWithKept(app *v1alpha1.Application) bool {
	op := opstate.Requested(app)
	return op != app.Operation && opstate.Info(op.Info, gitops.InfoKept) != ""
}

// returnable tells why an application does not go back to a sync.
func returnable(app *v1alpha1.Application, to *history.Sync) error {
	if to.App.UID != string(app.UID) {
		return gitops.Problemf(gitops.Invalid, "cannot roll back: sync %s is none of this application", to.ID)
	}
	if to.DryRun {
		return gitops.Problemf(gitops.Invalid, "cannot roll back: sync %s was a dry run, and applied nothing", to.ID).
			Do("go back to another sync of the history")
	}
	return nil
}

// returning turns the target into that of a rollback, or of manifests that an
// operation brings, if one is asked for or runs, and reads whether syncs are
// atomic.
func (r *Reconciler) returning(ctx context.Context, t *state.Target) (err error) {
	if t.WaveTime, err = atomicTime(t.App); err != nil {
		return err
	}
	if local, err := r.local(ctx, t); local || err != nil {
		return err
	}
	k, err := r.rollback(ctx, t.Project, t.App)
	if class := report.Classify(err); class == report.Terminal || class == report.Denied {
		t.Unfit = err // the operation's own fault: the application is compared as it is
		return nil
	}
	if k == nil {
		return err
	}
	back(t, k, r.seen.get(client.ObjectKeyFromObject(t.App)))
	return nil
}

// refuseReturn is why a rollback may not bring back what an earlier sync had: it
// goes by what the project permits now.
func (r *Reconciler) refuseReturn(ctx context.Context, t *state.Target) error {
	if t.Brought == nil || t.IsLocal() {
		return nil
	}
	if err := policy.Sources(t.Project, t.Sources); err != nil {
		return err
	}
	if err := refuseBesides(t); err != nil {
		return err
	}
	for i, revision := range t.Brought.Rendering.Revisions[:min(len(t.Brought.Rendering.Revisions), len(t.Sources))] {
		s := &t.Sources[i]
		if err := r.comparer().Signed(ctx, &t.Subject, s, gitops.SourceOf(t.App, s, revision), revision); err != nil {
			return err
		}
	}
	return nil
}

// entryOf is the id of the sync that an operation goes back to: the one that
// it names, or the last one of the history that had exactly its sources and
// revisions, which is how Argo CD asks for a rollback.
func entryOf(app *v1alpha1.Application, op *v1alpha1.Operation) string {
	named := opstate.Info(op.Info, gitops.InfoRollback)
	number, err := strconv.ParseInt(named, 10, 64)
	if named != "" && err != nil {
		return named
	}
	if named == "" && op.Sync.Source == nil && op.Sync.Sources == nil {
		return ""
	}
	for _, h := range slices.Backward(app.Status.History) {
		same := h.ID == number
		if named == "" {
			same = deployed(op.Sync, &h)
		}
		if same && h.DeployStartedAt != nil {
			return history.ID(string(app.UID), h.DeployStartedAt.Time)
		}
	}
	return named
}

// deployed reports whether an entry has the sources and revisions of an operation.
func deployed(op *v1alpha1.SyncOperation, h *v1alpha1.RevisionHistory) bool {
	if op.Sources != nil {
		return len(op.Revisions) > 0 && slices.Equal(op.Revisions, h.Revisions) && reflect.DeepEqual(op.Sources, h.Sources)
	}
	return op.Revision != "" && op.Revision == h.Revision && reflect.DeepEqual(*op.Source, h.Source)
}

// back makes the target of a rollback. leaves is the digest of what the
// sources said last, if that is known.
func back(t *state.Target, k *state.Brought, leaves string) {
	t.Brought, t.Sources = k, k.Sources
	op := opstate.Requested(t.App)
	if len(op.Sync.SyncOptions) > 0 {
		t.Options = op.Sync.SyncOptions
	}
	if opstate.Info(op.Info, gitops.InfoRollback) == "" {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoRollback, Value: k.ID})
	}
	if opstate.Info(op.Info, gitops.InfoKept) == "" {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoKept, Value: k.ID})
	}
	if leaves != "" && leaves != k.Rendering.Digest && opstate.Info(op.Info, gitops.InfoHeldDigest) == "" {
		opstate.Pin(op, leaves, nil)
	}
}

// comparedAgain keeps a rollback's own manifests out of the verdict: an
// application is in sync with what its sources say, and with nothing else. They
// are compared as soon as the operation is over.
func (r *Reconciler) comparedAgain(out *report.Outcome, t *state.Target, c *state.Comparison, before v1alpha1.SyncStatus) {
	if t.Brought == nil {
		r.seen.put(client.ObjectKeyFromObject(t.App), c.Rendering.Digest)
		return
	}
	if before.Status != "" {
		t.App.Status.Sync = before
	}
	if !t.App.Status.OperationState.Runs() {
		out.Again(time.Millisecond)
	}
}

// pinned reports whether what the sources say now was rolled back: nothing
// but a change of it, or a person, syncs it again. A rollback that could not
// know what it leaves, because it began without a look at the sources, leaves
// what they say at the first look after it.
func pinned(app *v1alpha1.Application, c *state.Comparison) bool {
	st := app.Status.OperationState
	at, _ := opstate.WentBack(st)
	if at == "" || at == opstate.Identity(c.Result()) {
		return false
	}
	op := &st.Operation
	if opstate.Info(op.Info, gitops.InfoHeldDigest) == "" && c.Plan.Sync != gitops.Synced {
		opstate.Pin(op, c.Rendering.Digest, c.Revisions)
	}
	return opstate.Info(op.Info, gitops.InfoHeldDigest) == c.Rendering.Digest || opstate.Info(op.Info, gitops.InfoHeldRevision) == opstate.Joined(c.Revisions)
}

// showPinned says so in a condition.
func (r *Reconciler) showPinned(t *state.Target, c *state.Comparison) {
	var conditions []v1alpha1.ApplicationCondition
	if t.Brought == nil && pinned(t.App, c) && c.Plan.Sync != gitops.Synced {
		_, revision := opstate.WentBack(t.App.Status.OperationState)
		conditions = append(conditions, v1alpha1.ApplicationCondition{
			Type: v1alpha1.ApplicationConditionRolledBackWarning,
			Message: fmt.Sprintf("Rolled back to %s: %s is not synced by itself until the manifests change; sync the application to try it all the same",
				revision, opstate.ShortRevision(c.Result())),
		})
	}
	report.SetConditions(t.App, []string{v1alpha1.ApplicationConditionRolledBackWarning}, conditions, r.Now())
}

// seen remembers the digest of what each application's sources said last. It
// is safe for concurrent use.
type seen struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]string
}

func newSeen() *seen { return &seen{byApp: map[types.NamespacedName]string{}} }

func (s *seen) put(name types.NamespacedName, digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byApp[name] = digest
}

func (s *seen) get(name types.NamespacedName) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byApp[name]
}

func (s *seen) forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byApp, name)
}
