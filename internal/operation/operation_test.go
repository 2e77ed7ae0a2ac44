package operation

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

func TestSync(t *testing.T) {
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{
		Sources:    v1alpha1.ApplicationSources{{RepoURL: "a"}, {RepoURL: "b"}},
		SyncPolicy: &v1alpha1.SyncPolicy{SyncOptions: v1alpha1.SyncOptions{"CreateNamespace=true"}, Retry: &v1alpha1.RetryStrategy{Limit: 7}},
	}}
	op := Want{Prune: true, Revision: "v2", Options: []string{"Replace=true"}}.Sync(app)
	if !op.Sync.Prune || len(op.Sync.Revisions) != 1 || op.Sync.Revision != "" || op.Retry.Limit != 7 || len(op.Sync.SyncOptions) != 2 {
		t.Errorf("the policy counts, and several sources have several revisions: %+v", op)
	}
	if op = (Want{Revisions: []string{"", "v3"}}).Sync(app); len(op.Sync.Revisions) != 2 || op.Sync.Revisions[1] != "v3" {
		t.Errorf("each source has its own: %+v", op)
	}
	app.Spec.Sources, app.Spec.SyncPolicy = nil, nil
	if op = (Want{Revisions: []string{"v3"}}).Sync(app); op.Sync.Revision != "v3" || op.Sync.Revisions != nil {
		t.Errorf("one source has one revision: %+v", op)
	}
	never := int64(0)
	op = Want{Revision: "v2", By: "ann", Mark: "mark", Retries: &never}.Sync(app)
	if op.Sync.Revision != "v2" || op.InitiatedBy.Username != "ann" || op.Retry.Limit != 0 {
		t.Errorf("got %+v", op)
	}
	app.Status.OperationState = &v1alpha1.OperationState{Operation: *op, Phase: v1alpha1.OperationSucceeded}
	if Marked(app, "mark") == nil || Marked(app, "other") != nil {
		t.Error("an operation is known again by its mark alone")
	}
	app.Operation = op
	if Marked(app, "mark") != nil || !Busy(app) || app.Status.OperationState.Runs() {
		t.Error("an operation that the engine has not taken up has no state")
	}
}

func TestRollback(t *testing.T) {
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: "now"}}}
	op, err := Want{Prune: true}.Rollback(app, &history.Sync{ID: "1", Sources: json.RawMessage(`[{"repoURL":"then"}]`), Commits: []history.Commit{{Revision: "abc"}}})
	if err != nil || op.Sync.Source.RepoURL != "then" || op.Sync.Revision != "abc" || op.Sync.SyncStrategy.Hook != nil {
		t.Errorf("got %+v, %v", op, err)
	}
	if _, err := (Want{}).Rollback(app, &history.Sync{ID: "1"}); err == nil {
		t.Error("a sync without sources is gone back to")
	}
}

func TestTerminate(t *testing.T) {
	app := &v1alpha1.Application{Operation: &v1alpha1.Operation{}, Status: v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning}}}
	if err := Terminate(app); err != nil || app.Operation != nil || app.Status.OperationState.Phase != v1alpha1.OperationTerminating {
		t.Errorf("got %+v, %v", app, err)
	}
	if err := Terminate(&v1alpha1.Application{}); err == nil {
		t.Error("what is busy with nothing is ended")
	}
}

func TestDeletion(t *testing.T) {
	const other = "example.com/mine"
	cases := map[string]struct {
		reason string
		how    gitops.Propagation
		before []string
		want   []string
		fails  bool
	}{
		"Foreground": {"objects go first", "foreground", []string{other}, []string{other, v1alpha1.FinalizerResources}, false},
		"Background": {"another way takes the place of the one before", "background", []string{v1alpha1.FinalizerResources}, []string{v1alpha1.FinalizerResources + "/background"}, false},
		"Orphan":     {"objects stay, and other finalizers do", "orphan", []string{v1alpha1.FinalizerResources, other}, []string{other}, false},
		"Unknown":    {"what is no way changes nothing", "quickly", []string{other}, []string{other}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Finalizers: tc.before}}
			if err := Deletion(app, tc.how); (err != nil) != tc.fails {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, app.Finalizers); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}
