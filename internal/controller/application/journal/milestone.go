package journal

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Milestones tells the history how far commits come on applications where no sync
// tells so: they fail before one, or wait for somebody. The same is told once.
// It is safe for concurrent use.
type Milestones struct {
	recorder Recorder
	now      func() time.Time

	mu sync.Mutex
	// told has digests of what was told last.
	told map[types.NamespacedName][sha256.Size]byte
}

// NewMilestones tells a recorder of commits; nil keeps nothing.
func NewMilestones(to Recorder, now func() time.Time) *Milestones {
	return &Milestones{recorder: to, now: now, told: map[types.NamespacedName][sha256.Size]byte{}}
}

// Forget drops an Application that is gone.
func (s *Milestones) Forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.told, name)
}

// stageNames are the stages of a commit at which a reconcile stops.
var stageNames = map[report.Stage]history.Stage{report.Render: history.Rendered, report.Plan: history.Planned}

// Note tells of the end of a reconcile. Without a comparison it has stopped
// before there was one; without snapshots there is no commit to tell of.
func (s *Milestones) Note(out *report.Outcome, t *state.Target, c *state.Comparison) {
	if s.recorder == nil || t == nil || t.Brought != nil || len(t.Revisions) == 0 || out.Context().Err() != nil || !t.App.DeletionTimestamp.IsZero() {
		return
	}
	step := history.Step{
		App: AppOf(t.App), Project: t.App.Spec.GetProject(), Cluster: t.Cluster.Desc().Name,
		Commits: commitsOf(t.Sources, t.Revisions, t.Commits), Passes: Passes(out), At: s.now(),
	}
	digest := strings.Join(t.Revisions, " ")
	if c != nil {
		digest = c.Rendering.Digest // a commit that renders the same changes nothing here
	}
	if f := out.Failure(); f != nil {
		failed(&step, f)
	} else if c != nil && pendingCommit(t, c) {
		step.State, step.Stage, step.Message = history.StepWaiting, history.Applied, c.Withheld
	}
	if step.State != "" && s.is(client.ObjectKeyFromObject(t.App), digest+"\x00"+string(step.State)+"\x00"+step.Message) {
		s.recorder.Step(step)
	}
}

// is notes what is told, and whether that is another thing than before.
func (s *Milestones) is(name types.NamespacedName, what string) bool {
	digest := sha256.Sum256([]byte(what))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told[name] == digest {
		return false
	}
	s.told[name] = digest
	return true
}

// failed notes a failure of the commit. What another try may settle is not
// the commit's: it waits.
func failed(step *history.Step, f *report.Failure) {
	stage, ok := stageNames[f.Stage]
	if !ok {
		return // a sync tells of it
	}
	step.State, step.Stage, step.Message = history.StepFailed, stage, f.Err.Error()
	if f.Class == report.Waiting || f.Class == report.Transient {
		step.State = history.StepWaiting
	}
}

// pendingCommit reports whether the application lacks what the commit brings, and
// nothing brings it there. Of a commit that was synced before it is drift.
func pendingCommit(t *state.Target, c *state.Comparison) bool {
	if c.Plan.Sync != gitops.OutOfSync || operation.Busy(t.App) {
		return false
	}
	h := t.App.Status.History
	return len(h) == 0 || !slices.Equal(latest(&h[len(h)-1]), t.Revisions)
}

func latest(h *v1alpha1.RevisionHistory) []string {
	if len(h.Revisions) > 0 {
		return h.Revisions
	}
	return []string{h.Revision}
}

// Passes are the ends of the stages before the first change.
func Passes(out *report.Outcome) history.Passes {
	return history.Passes{Began: out.Passed(report.Spec), Fetched: out.Passed(report.Fetch), Rendered: out.Passed(report.Render), Planned: out.Passed(report.Plan)}
}
