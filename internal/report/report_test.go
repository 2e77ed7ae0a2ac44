package report

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestEnd(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "applications"}, "a")
	broken := errors.New("the API server is away")
	cases := map[string]struct {
		reason   string
		do       func(*Outcome, *v1alpha1.Application) error
		writeErr error
		writes   int
		events   []string
		want     reconcile.Result
		err      error
	}{
		"nothing": {reason: "an unchanged object is not written", do: func(*Outcome, *v1alpha1.Application) error { return nil }},
		"changed": {reason: "all changes go in one patch", writes: 1, do: func(_ *Outcome, app *v1alpha1.Application) error {
			app.Status.Sync.Status, app.Status.SourceType = v1alpha1.SyncStatusCodeSynced, "Helm"
			delete(app.Annotations, v1alpha1.AnnotationRefresh)
			return nil
		}},
		"again": {reason: "the shortest of the asked pauses counts", want: reconcile.Result{RequeueAfter: time.Second}, do: func(o *Outcome, _ *v1alpha1.Application) error {
			o.Again(time.Minute)
			o.Again(time.Second)
			o.Again(time.Hour)
			return nil
		}},
		"failed": {reason: "the failure is told once, and the object is looked at again by its class", writes: 1, want: reconcile.Result{RequeueAfter: 30 * time.Second}, do: func(o *Outcome, _ *v1alpha1.Application) error {
			return o.Failed(Fetch, gitops.Problemf(gitops.Refused, "no"))
		}},
		"terminal": {reason: "only the steady look is left", writes: 1, want: reconcile.Result{RequeueAfter: time.Hour}, do: func(o *Outcome, _ *v1alpha1.Application) error {
			o.Again(time.Hour)
			return o.Failed(Render, gitops.Problemf(gitops.Invalid, "no"))
		}},
		"sooner": {reason: "an asked pause that is shorter than the back-off counts", writes: 1, want: reconcile.Result{RequeueAfter: time.Millisecond}, do: func(o *Outcome, _ *v1alpha1.Application) error {
			o.Again(time.Millisecond)
			return o.Failed(Fetch, errors.New("odd"))
		}},
		"unnamed": {reason: "an error that no stage has claimed is shown all the same", writes: 1, want: reconcile.Result{RequeueAfter: time.Second}, do: func(*Outcome, *v1alpha1.Application) error {
			return errors.New("odd")
		}},
		"events": {reason: "events are sent in their order", events: []string{"Normal A: one", "Warning B: two"}, do: func(o *Outcome, _ *v1alpha1.Application) error {
			o.Event("Normal", "A", "one")
			o.Event("Warning", "B", "two")
			return nil
		}},
		"gone": {reason: "an object that was deleted meanwhile is no error, and an API server that does not know it yet is asked again", writeErr: gone, writes: 1, want: reconcile.Result{RequeueAfter: time.Second}, do: func(_ *Outcome, app *v1alpha1.Application) error {
			app.Status.SourceType = "Helm"
			return nil
		}},
		"unwritten": {reason: "a status that cannot be written is tried again by the queue", writeErr: broken, writes: 1, err: broken, do: func(o *Outcome, app *v1alpha1.Application) error {
			app.Status.SourceType = "Helm"
			o.Again(time.Hour)
			return nil
		}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			w, e := &writes{err: c.writeErr}, &heard{}
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{v1alpha1.AnnotationRefresh: "normal"}}}
			out := newReporter(w, e, Applications{}).Begin(t.Context(), app)
			got, err := out.End(c.do(out, app))
			if !errors.Is(err, c.err) {
				t.Errorf("%s: got the error %v, want %v", c.reason, err, c.err)
			}
			if got != c.want {
				t.Errorf("%s: got %+v, want %+v", c.reason, got, c.want)
			}
			if len(w.bodies) != c.writes {
				t.Errorf("%s: got %d writes, want %d: %s", c.reason, len(w.bodies), c.writes, w.bodies)
			}
			if diff := cmp.Diff(c.events, e.texts); diff != "" {
				t.Errorf("%s: events (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestEndSendsOnlyWhatChanged(t *testing.T) {
	w := &writes{}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "7", Labels: map[string]string{"team": "web"}}}
	app.Status.SourceType = "Helm"
	out := newReporter(w, &heard{}, Applications{}).Begin(t.Context(), app)
	app.Status.Sync.Status = v1alpha1.SyncStatusCodeSynced
	if _, err := out.End(nil); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(w.bodies[0]), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"status": map[string]any{"sync": map[string]any{"status": "Synced"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the patch holds something else than the change (-want +got):\n%s", diff)
	}
}

// TestEndBeginsOperationsOfWhatWasRead: an operation begins in the project in which it
// was decided about, so that one which has changed since is looked at again.
func TestEndBeginsOperationsOfWhatWasRead(t *testing.T) {
	w := &writes{}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "7"}}
	reporter := newReporter(w, &heard{}, Applications{})
	for i, phase := range []v1alpha1.OperationPhase{v1alpha1.OperationRunning, v1alpha1.OperationSucceeded} {
		out := reporter.Begin(t.Context(), app)
		app.Status.OperationState = &v1alpha1.OperationState{Phase: phase}
		if _, err := out.End(nil); err != nil {
			t.Fatal(err)
		}
		if locks := strings.Contains(w.bodies[i], `"resourceVersion":"7"`); locks != (phase == v1alpha1.OperationRunning) {
			t.Errorf("%s is written by %s", phase, w.bodies[i])
		}
	}
}

// The status of an Application is none of another one's that was made under its
// name since, and the annotations that go with it are as well.
func TestEndWritesToTheSameApplication(t *testing.T) {
	w := &writes{}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "uid-1", Annotations: map[string]string{v1alpha1.AnnotationRefresh: "normal"}}}
	out := newReporter(w, &heard{}, Applications{}).Begin(t.Context(), app)
	app.Status.Sync.Status, app.Annotations = v1alpha1.SyncStatusCodeSynced, nil
	if _, err := out.End(nil); err != nil {
		t.Fatal(err)
	}
	want := `{"metadata":{"annotations":null,"uid":"uid-1"},"status":{"sync":{"status":"Synced"}}}`
	if diff := cmp.Diff([]string{want}, w.bodies); diff != "" {
		t.Errorf("what is written (-want +got):\n%s", diff)
	}
}

// An approval that was given since is not taken away with the one that was used.
func TestEndTakesAwayTheApprovalThatWasUsed(t *testing.T) {
	w := &writes{}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "7", Annotations: map[string]string{gitops.AnnotationDeletionApproval: "sha", "a": "b"}}}
	out := newReporter(w, &heard{}, Applications{}).Begin(t.Context(), app)
	delete(app.Annotations, gitops.AnnotationDeletionApproval)
	if _, err := out.End(nil); err != nil {
		t.Fatal(err)
	}
	want := `{"metadata":{"annotations":{"causeway.io/deletion-approval":null},"resourceVersion":"7"}}`
	if diff := cmp.Diff([]string{want}, w.bodies); diff != "" {
		t.Errorf("what is written (-want +got):\n%s", diff)
	}
}

func TestEndIsSilentWhenTheProcessStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	w, e := &writes{}, &heard{}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	out := newReporter(w, e, Applications{}).Begin(ctx, app)
	stop()
	out.Event("Warning", "SyncFailed", "context canceled")
	res, err := out.End(out.Failed(Fetch, ctx.Err()))
	if err != nil || res != (reconcile.Result{}) || len(w.bodies) > 0 || len(e.texts) > 0 {
		t.Errorf("got %+v, %v, writes %v and events %v; want nothing", res, err, w.bodies, e.texts)
	}
}

func TestTheSameFailureIsWrittenOnce(t *testing.T) {
	w := &writes{}
	r := newReporter(w, &heard{}, Applications{})
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	var pauses []time.Duration
	now := at
	r.now = func() time.Time { return now }
	for range 3 {
		out := r.Begin(t.Context(), app)
		res, err := out.End(out.Failed(Fetch, gitops.Problemf(gitops.Unreachable, "cannot reach git.example.com")))
		if err != nil {
			t.Fatal(err)
		}
		pauses = append(pauses, res.RequeueAfter)
		now = now.Add(res.RequeueAfter)
	}
	if len(w.bodies) != 1 {
		t.Errorf("three equal failures made %d writes, want 1: %s", len(w.bodies), w.bodies)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

// TestFailuresAreBrief has what others wrote stand in an error: little of it is written, logged and told.
func TestFailuresAreBrief(t *testing.T) {
	text := strings.Repeat("k", 33<<20)
	long := gitops.Problemf(gitops.Invalid, "cannot read %s", text).Do("correct it")
	for _, tc := range []struct {
		about    client.Object
		describe Describer
	}{
		{&v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "7"}}, Applications{}},
		{&v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, ApplicationSets{}},
	} {
		w, e, log := &writes{}, &heard{}, &strings.Builder{}
		r := newReporter(w, e, tc.describe)
		r.log = slog.New(slog.NewTextHandler(log, nil))
		out := r.Begin(t.Context(), tc.about)
		out.Event("Warning", "SyncFailed", text)
		if app, is := tc.about.(*v1alpha1.Application); is {
			app.Status.OperationState = &v1alpha1.OperationState{Message: text}
		}
		if _, err := out.End(out.Failed(Render, long)); err != nil {
			t.Fatal(err)
		}
		written, told := strings.Join(w.bodies, ""), strings.Join(e.texts, "")
		if len(written) > 64<<10 || len(told) > 20<<10 || log.Len() > 5<<10 || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("%T: %d bytes are written, %d told and %d logged", tc.about, len(written), len(told), log.Len())
		}
		if !strings.Contains(written, "cannot read kkk") || !strings.Contains(written, "k…; correct it") || !strings.Contains(log.String(), "k…") {
			t.Errorf("%T: it is written %.200s and logged %.200s", tc.about, written, log)
		}
		var p *gitops.Problem
		if f := out.Failure(); f.Class != Terminal || !errors.As(f.Err, &p) || p.Kind != gitops.Invalid || p.Fix != "correct it" {
			t.Errorf("%T: it is another failure, of class %v", tc.about, f.Class)
		}
	}
}

// TestConditionsAreBrief has stages write conditions of their own.
func TestConditionsAreBrief(t *testing.T) {
	app, set, text := &v1alpha1.Application{}, &v1alpha1.ApplicationSet{}, strings.Repeat("k", 3<<20)
	for _, at := range []time.Time{time.Unix(1, 0), time.Unix(2, 0)} { // the second time it is the same
		SetConditions(app, []string{"SyncError"}, []v1alpha1.ApplicationCondition{{Type: "SyncError", Message: text}}, at)
		SetSetCondition(set, "ErrorOccurred", isTrue, "Error", text, at)
	}
	one, other := app.Status.Conditions[0], set.Status.Conditions[0]
	if n := len(one.Message) + len(other.Message); n > 33<<10 || !strings.HasSuffix(one.Message, "k…") || !strings.HasSuffix(other.Message, "k…") {
		t.Errorf("their messages have %d bytes", n)
	}
	if one.LastTransitionTime.Unix() != 1 || other.LastTransitionTime.Unix() != 1 {
		t.Error("the same message is a transition")
	}
}
