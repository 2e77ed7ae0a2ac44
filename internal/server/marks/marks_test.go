package marks

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

var (
	web   = view.Key{Namespace: "argocd", Name: "web"}
	noon  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	later = noon.Add(time.Minute)
)

func operation(mark string, more ...v1alpha1.Info) *v1alpha1.Operation {
	return &v1alpha1.Operation{Info: append(more, v1alpha1.Info{Name: gitops.InfoRequest, Value: mark})}
}

// app is an Application that was asked for one operation, and tells of another.
func app(k view.Key, asked *v1alpha1.Operation, st *v1alpha1.OperationState) *v1alpha1.Application {
	return &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: k.Namespace, Name: k.Name}, Operation: asked, Status: v1alpha1.ApplicationStatus{OperationState: st},
	}
}

func state(mark string, phase v1alpha1.OperationPhase, message string) *v1alpha1.OperationState {
	st := &v1alpha1.OperationState{
		Operation: *operation(mark), Phase: phase, Message: message, StartedAt: v1alpha1.NewTime(noon), SyncResult: &v1alpha1.SyncOperationResult{Revision: "abc"},
	}
	if phase.Completed() {
		st.FinishedAt = &v1alpha1.Time{Time: later}
	}
	return st
}

func got(t *testing.T, m *Marks, mark string) Operation {
	t.Helper()
	o, ok := m.Get(mark)
	if !ok {
		t.Fatalf("operation %s is not known", mark)
	}
	return o
}

// An operation is followed from the moment in which it was asked for to its end,
// and after the next one has come.
func TestFollowed(t *testing.T) {
	now := noon
	m := New(func() time.Time { return now })
	m.Ask(web, "m1", Sync, "ann")
	m.See(app(web, nil, state("older", v1alpha1.OperationSucceeded, "done")), "bob") // the watch is behind
	want := Operation{Mark: "m1", App: web, Verb: Sync, By: "ann", Message: textWaits, Started: noon}
	if diff := cmp.Diff(want, got(t, m, "m1")); diff != "" {
		t.Errorf("before the watch tells (-want +got):\n%s", diff)
	}
	m.See(app(web, operation("m1"), state("older", v1alpha1.OperationSucceeded, "done")), "bob")
	if diff := cmp.Diff(want, got(t, m, "m1")); diff != "" {
		t.Errorf("before it begins (-want +got):\n%s", diff)
	}
	m.See(app(web, nil, state("m1", v1alpha1.OperationRunning, "wave 1")), "ann")
	want.Phase, want.Message, want.Revision = "Running", "wave 1", "abc"
	if diff := cmp.Diff(want, got(t, m, "m1")); diff != "" {
		t.Errorf("while it runs (-want +got):\n%s", diff)
	}
	m.See(app(web, nil, state("m1", v1alpha1.OperationFailed, "refused")), "ann")
	want.Phase, want.Message, want.Ended = "Failed", "refused", later
	if o := got(t, m, "m1"); cmp.Diff(want, o) != "" || !o.Over() {
		t.Errorf("at its end (-want +got):\n%s", cmp.Diff(want, o))
	}
	m.See(app(web, nil, state("m2", v1alpha1.OperationRunning, "")), "bob")
	if diff := cmp.Diff(want, got(t, m, "m1")); diff != "" {
		t.Errorf("after the next one began (-want +got):\n%s", diff)
	}
	now = noon.Add(keptFor + time.Second)
	if _, ok := m.Get("m1"); ok {
		t.Error("it is kept without end")
	}
	if o := got(t, m, "m2"); o.Over() {
		t.Errorf("what the Application tells of is %+v", o)
	}
}

// Who starts anew knows what Applications tell of.
func TestKnownFromTheWatch(t *testing.T) {
	m := New(func() time.Time { return noon })
	st := state("back", v1alpha1.OperationSucceeded, "done")
	st.Operation.Info = append(st.Operation.Info, v1alpha1.Info{Name: gitops.InfoRollback, Value: "1"})
	m.See(app(web, nil, st), "ann")
	if o := got(t, m, "back"); o.Verb != Rollback || o.By != "ann" || o.Phase != "Succeeded" {
		t.Errorf("it is %+v", o)
	}
}

// What was not seen to end is over all the same, and says so.
func TestEndNotSeen(t *testing.T) {
	for reason, tc := range map[string]struct {
		end  func(*Marks)
		want string
	}{
		"another one came":        {func(m *Marks) { m.See(app(web, nil, state("m2", v1alpha1.OperationRunning, "")), "") }, "the history"},
		"the Application is gone": {func(m *Marks) { m.Gone(web) }, "was deleted"},
	} {
		m := New(func() time.Time { return later })
		m.See(app(web, nil, state("m1", v1alpha1.OperationRunning, "wave 1")), "ann")
		tc.end(m)
		if o := got(t, m, "m1"); !o.Over() || o.Phase != "" || !strings.Contains(o.Message, tc.want) {
			t.Errorf("%s: it is %+v", reason, o)
		}
	}
}

// A mark is a name that anybody may write who may write an Application.
func TestMarksOfOthers(t *testing.T) {
	m := New(func() time.Time { return noon })
	other := view.Key{Namespace: "argocd", Name: "other"}
	m.See(app(web, nil, state("m1", v1alpha1.OperationRunning, "wave 1")), "ann")
	m.See(app(other, nil, state("m1", v1alpha1.OperationFailed, "not this one")), "eve")
	if o := got(t, m, "m1"); o.App != web || o.Over() {
		t.Errorf("it is %+v", o)
	}
	m.See(app(other, operation(""), state(strings.Repeat("m", longest+1), v1alpha1.OperationRunning, "")), "eve")
	if len(m.all) != 1 {
		t.Errorf("%d are known", len(m.all))
	}
}

// Who writes marks into an Application without end has those of no other one
// forgotten.
func TestMarksOfOthersStay(t *testing.T) {
	m := New(func() time.Time { return noon })
	m.See(app(web, nil, state("mine", v1alpha1.OperationSucceeded, "done")), "ann")
	m.Gone(web)
	other := view.Key{Namespace: "argocd", Name: "other"}
	for i := range kept + 10 {
		m.See(app(other, nil, state(fmt.Sprint("m", i), v1alpha1.OperationSucceeded, "")), "eve")
	}
	if o := got(t, m, "mine"); o.App != web || len(m.past) != kept {
		t.Errorf("it is %+v, of %d", o, len(m.past))
	}
}

// What is over is bounded, whatever is asked for.
func TestBounded(t *testing.T) {
	m := New(func() time.Time { return noon })
	for i := range kept + 10 {
		m.See(app(web, nil, state(fmt.Sprint("m", i), v1alpha1.OperationSucceeded, "")), "")
	}
	if len(m.all) != kept+1 || len(m.past) != kept || len(m.of) != 1 {
		t.Errorf("%d are known, %d of them in the past, of %d Applications", len(m.all), len(m.past), len(m.of))
	}
	m.Gone(web)
	if len(m.of) != 0 {
		t.Errorf("what is gone has %v", m.of)
	}
}

// An Application's name comes from a request's address: what is kept of an operation
// does not keep the rest of that.
func TestAskKeepsNothingElseOfARequest(t *testing.T) {
	const asked, rest = 1000, 16 << 10
	m, before := New(time.Now), heap()
	for i := range asked {
		address := fmt.Sprintf("argocd/web-%d?%s", i, strings.Repeat("x", rest))
		namespace, after, _ := strings.Cut(address, "/")
		name, _, _ := strings.Cut(after, "?")
		m.Ask(view.Key{Namespace: namespace, Name: name}, fmt.Sprint("mark-", i), Sync, "ann")
	}
	if kept := heap() - before; kept > asked*rest/4 {
		t.Errorf("%d bytes are kept of what %d requests asked", kept, asked)
	}
	runtime.KeepAlive(m)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What is asked for and told of in one look is as it is told, and one that begins is no longer waited for.
func TestStateGoesBeforeTheWish(t *testing.T) {
	m := New(func() time.Time { return noon })
	m.See(app(web, operation("m1"), state("m1", v1alpha1.OperationRunning, "wave 1")), "ann")
	if o := got(t, m, "m1"); o.Phase != "Running" || o.Message != "wave 1" || len(m.of[web]) != 1 {
		t.Errorf("it is %+v, of %v", o, m.of)
	}
	m.See(app(web, operation("m2"), state("m1", v1alpha1.OperationRunning, "wave 2")), "ann")
	if one, next := got(t, m, "m1"), got(t, m, "m2"); one.Message != "wave 2" || one.Over() || next.Message != textWaits {
		t.Errorf("what runs is %+v, and what waits for it %+v", one, next)
	}
}

// What comes back, as an operation that the past had does after a restored hub, is followed again and not forgotten with the past.
func TestToldOfAgain(t *testing.T) {
	now := noon
	m := New(func() time.Time { return now })
	m.See(app(web, nil, state("m1", v1alpha1.OperationRunning, "wave 1")), "ann")
	m.See(app(web, nil, state("m2", v1alpha1.OperationRunning, "")), "bob")
	if o := got(t, m, "m1"); !o.Over() {
		t.Fatalf("it is %+v", o)
	}
	m.See(app(web, nil, state("m1", v1alpha1.OperationRunning, "wave 2")), "ann")
	if o := got(t, m, "m1"); o.Over() || o.Message != "wave 2" {
		t.Errorf("it is %+v", o)
	}
	now = noon.Add(2 * keptFor)
	if o := got(t, m, "m1"); o.Message != "wave 2" {
		t.Errorf("after the time of the past it is %+v", o)
	}
	if _, ok := m.Get("m2"); ok {
		t.Error("the other one is kept without end")
	}
}

// What was asked for and is never told of is about to be for an hour, and lost then: its write may have been undone.
func TestNeverToldOf(t *testing.T) {
	now := noon
	m := New(func() time.Time { return now })
	m.Ask(web, "m1", Sync, "ann")
	m.Ask(web, "m1", Rollback, "eve") // a mark is of whoever bore it first
	now = noon.Add(keptFor - time.Second)
	m.See(app(web, nil, nil), "")
	if o := got(t, m, "m1"); o.Over() || o.By != "ann" || o.Verb != Sync {
		t.Errorf("before the hour is over it is %+v", o)
	}
	now = noon.Add(keptFor)
	m.See(app(web, nil, nil), "")
	if o := got(t, m, "m1"); !o.Over() || o.Message != textLost {
		t.Errorf("after that it is %+v", o)
	}
	var none *Marks
	none.Ask(web, "m1", Sync, "ann") // a server without marks
}
