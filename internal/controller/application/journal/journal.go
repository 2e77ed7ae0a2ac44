package journal

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/operation"
)

// Recorder keeps what syncs did. It never blocks and never fails a sync.
type Recorder interface {
	Sync(s history.Sync)
	Rendering(r *gitops.Rendering)
	Health(app history.App, sync string, changes []history.Change)
	// Step is told how far commits come where no sync tells so.
	Step(s history.Step)
}

// Journal follows the syncs that run and tells the history of them. It is
// safe for concurrent use; one application is reconciled by one worker.
type Journal struct {
	recorder Recorder
	now      func() time.Time

	mu    sync.Mutex
	byApp map[types.NamespacedName]*Trail
}

// Trail is what is known of a sync that runs.
type Trail struct {
	Sync  history.Sync
	moved bool
}

// NewJournal follows syncs for a recorder; nil keeps nothing.
func NewJournal(to Recorder, now func() time.Time) *Journal {
	return &Journal{recorder: to, now: now, byApp: map[types.NamespacedName]*Trail{}}
}

// Open returns the Trail of the operation that runs; nil without a history.
func (j *Journal) Open(t *state.Target) *Trail {
	if j.recorder == nil {
		return nil
	}
	st, name := t.App.Status.OperationState, client.ObjectKeyFromObject(t.App)
	id := history.ID(string(t.App.UID), st.StartedAt.Time)
	j.mu.Lock()
	defer j.mu.Unlock()
	if tr := j.byApp[name]; tr != nil && tr.Sync.ID == id {
		return tr
	}
	tr := &Trail{moved: true, Sync: history.Sync{
		ID: id, App: AppOf(t.App), Project: t.App.Spec.GetProject(), Cluster: t.Cluster.Desc().Name, Server: t.Cluster.Desc().Server,
		Cause: cause(st), By: operation.By(&st.Operation), DryRun: opstate.SyncOf(st).DryRun, Of: opstate.Info(st.Operation.Info, gitops.InfoRollback),
		Request: opstate.Info(st.Operation.Info, gitops.InfoAsked),
		Started: opstate.Earlier(st.StartedAt.Time, j.now()), // not what opstate.After made of it
	}}
	j.byApp[name] = tr
	return tr
}

// AppOf is an Application as the history names it.
func AppOf(app *v1alpha1.Application) history.App {
	return history.App{Namespace: app.Namespace, Name: app.Name, UID: string(app.UID)}
}

func cause(st *v1alpha1.OperationState) history.Cause {
	automated := st.Operation.InitiatedBy.Automated
	switch {
	case opstate.Info(st.Operation.Info, gitops.InfoRollback) != "" && automated:
		return history.AutomaticRollback
	case opstate.Info(st.Operation.Info, gitops.InfoRollback) != "":
		return history.Rollback
	case automated && opstate.SyncOf(st).SelfHealAttemptsCount > 0:
		return history.Heal
	case automated:
		return history.Automated
	}
	return history.Requested
}

// Planned notes what the operation is about to apply, and keeps its manifests.
func (j *Journal) Planned(t *state.Target, c *state.Comparison) {
	tr := j.Open(t)
	if tr == nil {
		return
	}
	tr.Sync.Rendering, tr.Sync.Origin, tr.moved = c.Rendering.Digest, Origin(t, c.Rendering), true
	tr.Sync.Sources, _ = json.Marshal(c.Sources) //nolint:errchkjson // they were read from JSON
	tr.Sync.Commits = commitsOf(c.Sources, c.Revisions, t.Commits)
	if tr.Sync.Passes.Planned.IsZero() {
		tr.Sync.Passes = t.Passes
	}
	tr.Sync.Retries = t.App.Status.OperationState.RetryCount
	j.recorder.Rendering(c.Rendering)
}

func commitsOf(sources v1alpha1.ApplicationSources, revisions []string, known []*gitops.Commit) []history.Commit {
	out := make([]history.Commit, 0, len(sources))
	for i, s := range sources {
		commit := history.Commit{RepoURL: s.RepoURL}
		if i < len(revisions) {
			commit.Revision = revisions[i]
		}
		if i < len(known) && known[i] != nil {
			commit.Author, commit.Date, commit.Subject = known[i].Author, known[i].Date, known[i].Message
		}
		out = append(out, commit)
	}
	return out
}

// Waved notes what became of a wave. A wave that is sent again replaces what
// was said of the same objects.
func (j *Journal) Waved(t *state.Target, w *gitops.Wave, started time.Time, outcome []gitops.Result) {
	tr := j.Open(t)
	if tr == nil {
		return
	}
	now, s := j.now(), &tr.Sync
	tr.moved = true
	try := t.App.Status.OperationState.RetryCount
	s.Waves = slices.Clone(s.Waves) // what was handed out stays as it was
	n := len(s.Waves)
	if n == 0 || s.Waves[n-1].Phase != w.Phase || s.Waves[n-1].Number != w.Number || s.Waves[n-1].Try != try {
		tr.end(started)
		s.Waves = append(s.Waves, history.Wave{Phase: w.Phase, Number: w.Number, Try: try, Started: started})
	}
	last := &s.Waves[len(s.Waves)-1]
	objects, unchanged := merged(last.Objects, outcome, settled(s.Waves, try))
	last.Applied, last.Objects, last.Unchanged = now, objects, max(last.Unchanged, unchanged)
	s.Shorten()
}

// settled are the objects that other tries tell of, and not that they were refused: where
// one is found unchanged again, that is no news.
func settled(waves []history.Wave, try int64) map[gitops.Key]bool {
	out := map[gitops.Key]bool{}
	for i := range waves {
		if waves[i].Try == try {
			continue
		}
		for k := range waves[i].Objects {
			o := &waves[i].Objects[k]
			out[o.Key()] = !o.Failed()
		}
	}
	return out
}

// end notes that the last wave is over.
func (tr *Trail) end(at time.Time) {
	if n := len(tr.Sync.Waves); n > 0 && tr.Sync.Waves[n-1].Ended.IsZero() {
		tr.Sync.Waves[n-1].Ended = at
	}
}

// merged are the objects of a wave with what became of them now, and how many are left
// out for being as they were when they were settled.
func merged(old []history.Object, outcome []gitops.Result, settled map[gitops.Key]bool) (out []history.Object, unchanged int) {
	out = slices.Clone(old)
	at := make(map[gitops.Key]int, len(old))
	for i := range slices.Backward(old) {
		at[old[i].Key()] = i
	}
	for i := range outcome {
		o := object(&outcome[i])
		was, told := at[o.Key()]
		switch {
		case told:
			o.Pruned = o.Pruned || out[was].Pruned
			out[was] = o
		case settled[o.Key()] && o.Outcome() == gitops.Unchanged:
			unchanged++
		default:
			out = append(out, o)
		}
	}
	return out, unchanged
}

func object(r *gitops.Result) history.Object {
	return history.Object{
		Group: r.Key.Group, Kind: r.Key.Kind, Namespace: r.Key.Namespace, Name: r.Key.Name, Verb: r.Verb, Hook: r.Hook,
		Status: r.Status, Message: history.Said(r.Message), Started: r.Started, Took: r.Took,
		Pruned: r.Deleted && r.Verb == gitops.Prune,
	}
}

// Note tells the history what moved in this reconcile: the operation, and the
// health of the objects since it was shown before.
func (j *Journal) Note(t *state.Target, before *v1alpha1.ApplicationStatus) {
	if j.recorder == nil {
		return
	}
	changes := changes(before, &t.App.Status, j.now())
	j.Advance(t, changes)
	if st := t.App.Status.OperationState; st != nil && len(changes) > 0 {
		j.recorder.Health(AppOf(t.App), history.ID(string(t.App.UID), st.StartedAt.Time), changes)
	}
}

// Advance writes how far the sync has come, if it moved.
func (j *Journal) Advance(t *state.Target, changes []history.Change) {
	st, name := t.App.Status.OperationState, client.ObjectKeyFromObject(t.App)
	j.mu.Lock()
	tr := j.byApp[name]
	j.mu.Unlock()
	if st == nil || tr == nil || tr.Sync.ID != history.ID(string(t.App.UID), st.StartedAt.Time) {
		return
	}
	tr.healthy(changes)
	if string(st.Phase) != tr.Sync.Phase {
		tr.moved = true
	}
	tr.Sync.Phase, tr.Sync.Message, tr.Sync.Health = string(st.Phase), st.Message, gitops.HealthCode(t.App.Status.Health.Status)
	if st.Ended() {
		tr.finish(t.App, j.now())
		j.Forget(name)
	}
	if tr.moved {
		tr.moved = false
		tr.Sync.Changed = tr.Sync.Count()
		j.recorder.Sync(tr.Sync)
	}
}

// PhaseSuperseded is how a sync ends whose place a newer revision took: it
// has neither failed nor succeeded.
const PhaseSuperseded = "Superseded"

// Superseded closes the Trail of a sync that gave way to another. The
// application's status tells only of the other one from then on.
func (j *Journal) Superseded(tr *Trail, by *v1alpha1.SyncOperationResult) {
	if tr == nil {
		return
	}
	s, now := &tr.Sync, j.now()
	s.Phase, s.Finished = PhaseSuperseded, opstate.Later(s.Started, now)
	s.Message = strings.TrimSuffix("superseded by the sync to "+opstate.ShortRevision(by)+"; before: "+s.Message, "; before: ")
	s.Waves = slices.Clone(s.Waves)
	tr.end(now)
	s.Changed = s.Count()
	j.recorder.Sync(*s)
}

// finish notes the end, and the entry of status.history that it made.
func (tr *Trail) finish(app *v1alpha1.Application, now time.Time) {
	tr.moved, tr.Sync.Finished = true, opstate.Later(tr.Sync.Started, now)
	tr.Sync.Waves = slices.Clone(tr.Sync.Waves)
	tr.end(now)
	for i := range app.Status.History {
		h := &app.Status.History[i]
		if h.DeployStartedAt != nil && h.DeployStartedAt.Equal(&app.Status.OperationState.StartedAt) {
			tr.Sync.History = &h.ID
		}
	}
}

// healthy notes when objects of the sync were first healthy.
func (tr *Trail) healthy(changes []history.Change) {
	well := map[gitops.Key]time.Time{}
	for _, c := range changes {
		if c.To == gitops.Healthy && c.Kind != "" {
			well[gitops.Key{Group: c.Group, Kind: c.Kind, Namespace: c.Namespace, Name: c.Name}] = c.At
		}
	}
	if len(well) == 0 {
		return
	}
	tr.Sync.Waves = slices.Clone(tr.Sync.Waves)
	for i := range tr.Sync.Waves {
		w := &tr.Sync.Waves[i]
		w.Objects = slices.Clone(w.Objects)
		for k := range w.Objects {
			if at, ok := well[w.Objects[k].Key()]; ok && w.Objects[k].Healthy.IsZero() {
				w.Objects[k].Healthy = at
			}
		}
	}
}

// Forget drops an Application that is gone.
func (j *Journal) Forget(name types.NamespacedName) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.byApp, name)
}

// changes compares the health that was shown with the one that is. An object
// that is not there yet has not changed.
func changes(before, now *v1alpha1.ApplicationStatus, at time.Time) []history.Change {
	var out []history.Change
	if a, b := before.Health.Status, now.Health.Status; a != b {
		out = append(out, history.Change{At: at, From: gitops.HealthCode(a), To: gitops.HealthCode(b)})
	}
	i := 0
	for n := range now.Resources {
		r := &now.Resources[n]
		for i < len(before.Resources) && byKey(&before.Resources[i], r) < 0 {
			i++
		}
		var was *v1alpha1.HealthStatus
		if i < len(before.Resources) && byKey(&before.Resources[i], r) == 0 {
			was = before.Resources[i].Health
		}
		if c, ok := change(was, r, at); ok {
			out = append(out, c)
		}
	}
	return out
}

func change(was *v1alpha1.HealthStatus, r *v1alpha1.ResourceStatus, at time.Time) (history.Change, bool) {
	if r.Health == nil {
		return history.Change{}, false
	}
	c := history.Change{
		At: at, Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name,
		To: gitops.HealthCode(r.Health.Status), Message: r.Health.Message,
	}
	if was != nil {
		c.From = gitops.HealthCode(was.Status)
	}
	return c, c.From != c.To && (c.From != "" || c.To != gitops.Missing)
}

// byKey is the order in which resources are shown.
func byKey(a, b *v1alpha1.ResourceStatus) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
