package approval

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

func TestUnconfirmed(t *testing.T) {
	began := v1alpha1.NewTime(time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC))
	precious := v1alpha1.ResourceStatus{Kind: "Namespace", Name: "shop", RequiresDeletionConfirmation: true}
	extra := precious
	extra.RequiresPruning = true
	running := &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, StartedAt: began}
	cases := map[string]struct {
		reason   string
		given    string
		deleting bool
		op       *v1alpha1.OperationState
		resource v1alpha1.ResourceStatus
		want     int
	}{
		"deleting":     {"all that ask", "", true, nil, precious, 1},
		"at rest":      {"nothing is asked for", "", false, nil, precious, 0},
		"syncing":      {"only what would be pruned", "", false, running, precious, 0},
		"pruning":      {"that is what asks", "", false, running, extra, 1},
		"given":        {"a word since then counts", "2026-05-04T10:30:00Z", true, nil, precious, 0},
		"given before": {"one from before does not", "2026-05-04T10:29:59Z", true, nil, precious, 1},
		"no time":      {"nor does one without a time", "yes", true, nil, precious, 1},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Annotations = map[string]string{v1alpha1.AnnotationDeletionApproved: c.given}
			app.Status.OperationState, app.Status.Resources = c.op, []v1alpha1.ResourceStatus{c.resource}
			if c.deleting {
				app.DeletionTimestamp = &metav1.Time{Time: began.Time}
			}
			if got := Unconfirmed(app); len(got) != c.want {
				t.Errorf("%s: %d ask, want %d", c.reason, len(got), c.want)
			}
		})
	}
}

func TestApproveExactlyWhatIsHeld(t *testing.T) {
	until := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	app := &v1alpha1.Application{}
	app.Name = "shop"
	if err := Approve(app, "any", until, "ann"); err == nil || !strings.Contains(err.Error(), "no deletion of application shop is held") {
		t.Errorf("nothing is held, and the answer is %v", err)
	}
	app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDeletionHeldError}}
	app.Status.OperationState = &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{
		{Kind: "Secret", Name: "b", Status: v1alpha1.ResultCodePruneSkipped}, {Kind: "Secret", Name: "kept", Status: v1alpha1.ResultCodeSynced},
		{Kind: "ConfigMap", Name: "a", Status: v1alpha1.ResultCodePruneSkipped},
	}}}
	held := Held(app)
	if len(held) != 2 || held[0].Kind != "ConfigMap" {
		t.Fatalf("what is held is %v", held)
	}
	if err := Approve(app, guard.Digest([]string{"another"}), until, "ann"); err == nil || app.Annotations != nil {
		t.Errorf("another list is approved: %v, %v", err, app.Annotations)
	}
	digest := guard.Digest(NamesOf(held))
	going := app.DeepCopy()
	going.DeletionTimestamp = &metav1.Time{Time: until}
	if err := Approve(going, digest, until, "ann"); err == nil || len(Held(going)) > 0 {
		t.Errorf("an Application that goes holds %v", Held(going))
	}
	if err := Approve(app, digest, until, "ann"); err != nil || app.Annotations[gitops.AnnotationDeletionApproval] != digest+";until=2026-05-04T12:00:00Z;by=ann" {
		t.Errorf("got %v, %v", err, app.Annotations)
	}
}

// What a set would delete is approved by its names, whatever their order, and
// an approval leaves what else the set says of itself.
func TestApproveExactlyWhatASetDeletes(t *testing.T) {
	until := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "webs", Annotations: map[string]string{"team": "shop"}}}
	set.Status.Resources = []v1alpha1.ResourceStatus{{Name: "web-b", RequiresPruning: true}, {Name: "web-stays"}, {Name: "web-a", RequiresPruning: true}}
	digest := guard.Digest([]string{"web-a", "web-b"})
	for _, other := range []string{"", "any", guard.Digest([]string{"web-a"}), guard.Digest([]string{"web-a", "web-b", "web-stays"})} {
		if err := ApproveSet(set, other, until, "ann"); err == nil || !strings.Contains(err.Error(), digest) || len(set.Annotations) != 1 {
			t.Errorf("%q approves: %v, %v", other, err, set.Annotations)
		}
	}
	if err := ApproveSet(set, digest, until, "ann"); err != nil || set.Annotations[gitops.AnnotationDeletionApproval] != digest+";until=2026-05-04T12:00:00Z;by=ann" || set.Annotations["team"] != "shop" {
		t.Errorf("got %v, %v", err, set.Annotations)
	}
	set.Status.Resources = set.Status.Resources[1:2]
	if err := ApproveSet(set, digest, until, "ann"); err == nil || !strings.Contains(err.Error(), "no deletion of ApplicationSet webs is held") {
		t.Errorf("nothing is held, and the answer is %v", err)
	}
}

// Whoever confirms by a clock that is behind confirms what is under way.
func TestConfirmIsNotBeforeWhatAsks(t *testing.T) {
	began := v1alpha1.NewTime(time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC))
	app := &v1alpha1.Application{}
	app.DeletionTimestamp = &metav1.Time{Time: began.Time}
	app.Status.Resources = []v1alpha1.ResourceStatus{{Kind: "Namespace", Name: "shop", RequiresDeletionConfirmation: true}}
	if err := Confirm(app, guard.Digest([]string{"another"}), began.Time); err == nil {
		t.Error("another list is confirmed")
	}
	if err := Confirm(app, guard.Digest(NamesOf(Unconfirmed(app))), began.Add(-time.Hour)); err != nil || len(Unconfirmed(app)) != 0 {
		t.Errorf("%v; %v ask still", err, Unconfirmed(app))
	}
	if err := Confirm(app, "any", began.Time); err == nil {
		t.Error("what asks for nothing is confirmed")
	}
}
