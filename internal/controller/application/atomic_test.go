package application

import (
	"context"
	"log/slog"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

func TestAtomicTime(t *testing.T) {
	cases := map[string]struct {
		reason       string
		atomic, time string
		want         time.Duration
		fails        bool
	}{
		"not said":   {"syncs are not atomic", "", "", 0, false},
		"said":       {"five minutes a wave", "true", "", waveTime, false},
		"with time":  {"as long as is said", "true", "30s", 30 * time.Second, false},
		"refused":    {"as if it were not said", "false", "30s", 0, false},
		"misspelt":   {"a safety net that is not there must not look like one", "maybe", "", 0, true},
		"no time":    {"neither must one without a time", "true", "5 minutes", 0, true},
		"past times": {"nor one that has no time", "true", "-5m", 0, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{gitops.AnnotationAtomic: tc.atomic, gitops.AnnotationAtomicTimeout: tc.time}}}
			got, err := atomicTime(app)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s: got %s, %v", tc.reason, got, err)
			}
		})
	}
}

// TestUndoOfWhatIsNoSync: an operation that somebody wrote may lack what every sync has.
func TestUndoOfWhatIsNoSync(t *testing.T) {
	began := v1alpha1.NewTime(time.Unix(100, 0))
	op := undo(&state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: permitting(), Cluster: somewhere{}}}, &v1alpha1.OperationState{StartedAt: began}, &v1alpha1.RevisionHistory{DeployStartedAt: &began}, "digest")
	if !op.Sync.Prune || opstate.Info(op.Info, gitops.InfoSince) != "1970-01-01T00:01:40Z" || opstate.Info(op.Info, gitops.InfoUndoes) != opstate.Info(op.Info, gitops.InfoSince) {
		t.Errorf("it is undone by %+v", op)
	}
}

// server is a cluster of which the address alone is known.
type server struct {
	state.Cluster

	address string
}

func (s server) Desc() gitops.Cluster { return gitops.Cluster{Server: s.address} }

// TestBringsBack is about which rollbacks no window holds up: those that run, of a sync at
// the destination where it failed.
func TestBringsBack(t *testing.T) {
	then := history.ID("1", at.Add(-time.Hour))
	cases := map[string]struct {
		reason string
		change func(tg *state.Target, w written)
		want   bool
	}{
		"runs":  {"what was there comes back", func(*state.Target, written) {}, true},
		"unfit": {"it ends, and applies nothing", func(tg *state.Target, _ written) { tg.Brought, tg.Unfit = nil, context.Canceled }, true},
		"asked for": {"somebody wants it", func(tg *state.Target, _ written) {
			tg.App.Status.OperationState.Operation.InitiatedBy.Automated = false
		}, false},
		"sources":   {"they may give something else by now", func(tg *state.Target, _ written) { tg.Brought = nil }, false},
		"manifests": {"they are not what was there", func(tg *state.Target, _ written) { tg.Brought.ID = "" }, false},
		"other":     {"neither is another sync", func(tg *state.Target, _ written) { tg.Brought.ID = history.ID("1", at.Add(-time.Minute)) }, false},
		"cluster":   {"nothing failed there", func(tg *state.Target, _ written) { tg.Cluster = server{address: "https://prod"} }, false},
		"namespace": {"nor there", func(tg *state.Target, _ written) { tg.App.Spec.Destination.Namespace = "prod" }, false},
		"project":   {"another project has windows of its own", func(tg *state.Target, _ written) { tg.Project = &v1alpha1.AppProject{} }, false},
		"unplaced": {"an engine of before did not say where", func(tg *state.Target, _ written) {
			op := &tg.App.Status.OperationState.Operation
			op.Info = opstate.Without(op.Info, gitops.InfoWhere)
		}, false},
		"moved":    {"what is brought was not there", func(tg *state.Target, _ written) { tg.Brought.Server = "https://dev" }, false},
		"over":     {"it was written back", func(_ *state.Target, w written) { w[history.ID("1", at)] = history.Sync{Finished: at} }, false},
		"not over": {"it runs", func(_ *state.Target, w written) { w[history.ID("1", at)] = history.Sync{} }, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app, w := &v1alpha1.Application{}, written{}
			app.UID, app.Spec.Destination.Namespace = "1", "web"
			tg := &state.Target{Subject: state.Subject{App: app, Project: permitting("*"), Cluster: server{address: "https://here"}}}
			failed := &v1alpha1.OperationState{StartedAt: v1alpha1.NewTime(at.Add(-time.Minute))}
			h := &v1alpha1.RevisionHistory{DeployStartedAt: &v1alpha1.Time{Time: at.Add(-time.Hour)}}
			app.Status.OperationState = opstate.Begin(undo(tg, failed, h, "digest"), opstate.WantedOf(h), at)
			tg.Brought = &state.Brought{ID: then, Server: "https://here"}
			tc.change(tg, w)
			r := &Reconciler{Options: Options{Past: w}}
			if got := r.bringsBack(t.Context(), tg); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
	r := &Reconciler{Options: Options{Log: slog.New(slog.DiscardHandler), Past: silent{}}}
	app := rollingBack(at)
	if !r.passed(t.Context(), app) {
		t.Error("a rollback of which the history tells nothing is taken for one that runs")
	}
}

// silent is a history that does not answer.
type silent struct{ written }

func (silent) Passed(context.Context, history.App, string, time.Time) (bool, error) {
	return false, context.DeadlineExceeded
}
