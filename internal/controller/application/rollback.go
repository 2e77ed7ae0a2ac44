package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// brought is what an operation brings instead of what the sources say: the
// manifests of an earlier sync, or its own.
type brought struct {
	// id is the sync that a rollback goes back to; empty for manifests of the
	// operation's own.
	id string
	// server is the cluster of that sync.
	server    string
	rendering *gitops.Rendering
	sources   v1alpha1.ApplicationSources
	// origin is where the manifests came from; nil where that is not known.
	origin *history.Origin
}

// rollback finds the manifests of an operation that goes back to an earlier
// sync. It is nil when there is no such operation, or when they are not kept
// any more, or may not be used: then the sources are read at the revision of
// that time. So they are where the history does not answer, until it has
// answered an operation that runs: that waits for it.
func (r *Reconciler) rollback(ctx context.Context, project *v1alpha1.AppProject, app *v1alpha1.Application) (*brought, error) {
	op := requested(app)
	if r.journal.history == nil || op == nil || op.Sync == nil {
		return nil, nil
	}
	id := entryOf(app, op)
	if id == "" {
		return nil, nil
	}
	found, err := r.journal.history.Kept(ctx, id)
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
		op.Info = without(op.Info, gitops.InfoKept) // it may have been found while the operation waited to begin
		return nil, nil
	}
	k := &brought{id: id, server: found.Sync.Server, rendering: found.Rendering, origin: found.Sync.Origin}
	if err := json.Unmarshal(found.Sync.Sources, &k.sources); err != nil {
		return nil, fmt.Errorf("cannot read the sources of sync %s: %w", id, err)
	}
	return k, nil
}

// begunWithKept tells that an operation runs that began with kept manifests.
func begunWithKept(app *v1alpha1.Application) bool {
	op := requested(app)
	return op != app.Operation && info(op.Info, gitops.InfoKept) != ""
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
func (r *Reconciler) returning(ctx context.Context, t *target) (err error) {
	if t.waveTime, err = atomicTime(t.App); err != nil {
		return err
	}
	if local, err := r.local(ctx, t); local || err != nil {
		return err
	}
	k, err := r.rollback(ctx, t.Project, t.App)
	if class := report.Classify(err); class == report.Terminal || class == report.Denied {
		t.unfit = err // the operation's own fault: the application is compared as it is
		return nil
	}
	if k == nil {
		return err
	}
	t.back(k, r.seen.get(client.ObjectKeyFromObject(t.App)))
	return nil
}

// refuseReturn is why a rollback may not bring back what an earlier sync had: it
// goes by what the project permits now.
func (r *Reconciler) refuseReturn(ctx context.Context, t *target) error {
	if t.brought == nil || t.isLocal() {
		return nil
	}
	if err := policy.Sources(t.Project, t.Sources); err != nil {
		return err
	}
	if err := t.refuseBesides(); err != nil {
		return err
	}
	for i, revision := range t.brought.rendering.Revisions[:min(len(t.brought.rendering.Revisions), len(t.Sources))] {
		s := &t.Sources[i]
		if err := r.comparer().Signed(ctx, &t.subject, s, gitops.SourceOf(t.App, s, revision), revision); err != nil {
			return err
		}
	}
	return nil
}

// entryOf is the id of the sync that an operation goes back to: the one that
// it names, or the last one of the history that had exactly its sources and
// revisions, which is how Argo CD asks for a rollback.
func entryOf(app *v1alpha1.Application, op *v1alpha1.Operation) string {
	named := info(op.Info, gitops.InfoRollback)
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
func (t *target) back(k *brought, leaves string) {
	t.brought, t.Sources = k, k.sources
	op := requested(t.App)
	if len(op.Sync.SyncOptions) > 0 {
		t.Options = op.Sync.SyncOptions
	}
	if info(op.Info, gitops.InfoRollback) == "" {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoRollback, Value: k.id})
	}
	if info(op.Info, gitops.InfoKept) == "" {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoKept, Value: k.id})
	}
	if leaves != "" && leaves != k.rendering.Digest && info(op.Info, gitops.InfoHeldDigest) == "" {
		pin(op, leaves, nil)
	}
}

// rolls reports whether the operation goes back by kept manifests, or was
// marked as a rollback.
func rolls(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st != nil && info(st.Operation.Info, gitops.InfoRollback) != ""
}

// comparedAgain keeps a rollback's own manifests out of the verdict: an
// application is in sync with what its sources say, and with nothing else. They
// are compared as soon as the operation is over.
func (r *Reconciler) comparedAgain(out *report.Outcome, t *target, c *comparison, before v1alpha1.SyncStatus) {
	if t.brought == nil {
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

// pin marks on an operation what is not synced again by itself.
func pin(op *v1alpha1.Operation, digest string, revisions []string) {
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoHeldDigest, Value: digest})
	if len(revisions) > 0 {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoHeldRevision, Value: joined(revisions)})
	}
}

func joined(revisions []string) string {
	text, _ := json.Marshal(revisions) //nolint:errchkjson // texts always encode
	return string(text)
}

// pinned reports whether what the sources say now was rolled back: nothing
// but a change of it, or a person, syncs it again. A rollback that could not
// know what it leaves, because it began without a look at the sources, leaves
// what they say at the first look after it.
func pinned(app *v1alpha1.Application, c *comparison) bool {
	st := app.Status.OperationState
	at, _ := wentBack(st)
	if at == "" || at == identity(c.result()) {
		return false
	}
	op := &st.Operation
	if info(op.Info, gitops.InfoHeldDigest) == "" && c.Plan.Sync != gitops.Synced {
		pin(op, c.Rendering.Digest, c.revisions)
	}
	return info(op.Info, gitops.InfoHeldDigest) == c.Rendering.Digest || info(op.Info, gitops.InfoHeldRevision) == joined(c.revisions)
}

// wentBack is what the rollback went back to whose pin an operation has: its
// own, or that of an earlier one. Both are empty when it has none.
func wentBack(st *v1alpha1.OperationState) (id, revision string) {
	if st == nil {
		return "", ""
	}
	if at := info(st.Operation.Info, gitops.InfoHeldAt); at != "" {
		return at, info(st.Operation.Info, gitops.InfoHeldAtRevision)
	}
	if info(st.Operation.Info, gitops.InfoRollback) == "" || syncOf(st).DryRun {
		return "", ""
	}
	return identity(st.SyncResult), shortRevision(st.SyncResult)
}

// identity names the sources and revisions of a sync.
func identity(s *v1alpha1.SyncOperationResult) string {
	what := v1alpha1.SyncOperationResult{}
	if s != nil {
		what.Source, what.Sources, what.Revision, what.Revisions = s.Source, s.Sources, s.Revision, s.Revisions
	}
	text, _ := json.Marshal(what) //nolint:errchkjson // they were read from JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// carryPin lets the pin of a rollback outlive an operation that does not
// bring the application to what its sources say: a dry run, or a sync of some
// objects. Any other one ends it: somebody asked.
func carryPin(op *v1alpha1.Operation, former *v1alpha1.OperationState) {
	op.Info = without(op.Info, gitops.InfoHeldAt, gitops.InfoHeldAtRevision) // also where somebody repeats an earlier operation
	if op.Sync == nil || !op.Sync.DryRun && len(op.Sync.Resources) == 0 {
		return
	}
	if !op.Sync.DryRun && info(op.Info, gitops.InfoRollback) != "" && info(op.Info, gitops.InfoHeldDigest) != "" {
		return // a rollback of some objects holds by itself
	}
	id, revision := wentBack(former)
	if id == "" {
		return
	}
	op.Info = append(without(op.Info, gitops.InfoHeldDigest, gitops.InfoHeldRevision),
		v1alpha1.Info{Name: gitops.InfoHeldAt, Value: id}, v1alpha1.Info{Name: gitops.InfoHeldAtRevision, Value: revision})
	for _, i := range former.Operation.Info {
		if i.Name == gitops.InfoHeldDigest || i.Name == gitops.InfoHeldRevision {
			op.Info = append(op.Info, i)
		}
	}
}

func without(list []v1alpha1.Info, names ...string) []v1alpha1.Info {
	return slices.DeleteFunc(slices.Clone(list), func(i v1alpha1.Info) bool { return slices.Contains(names, i.Name) })
}

// showPinned says so in a condition.
func (r *Reconciler) showPinned(t *target, c *comparison) {
	var conditions []v1alpha1.ApplicationCondition
	if t.brought == nil && pinned(t.App, c) && c.Plan.Sync != gitops.Synced {
		_, revision := wentBack(t.App.Status.OperationState)
		conditions = append(conditions, v1alpha1.ApplicationCondition{
			Type: v1alpha1.ApplicationConditionRolledBackWarning,
			Message: fmt.Sprintf("Rolled back to %s: %s is not synced by itself until the manifests change; sync the application to try it all the same",
				revision, shortRevision(c.result())),
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
