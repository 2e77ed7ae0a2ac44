package takeover

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestRecordOutlivesTheCommand(t *testing.T) {
	degraded := State{v1alpha1.SyncStatusCodeOutOfSync, v1alpha1.HealthStatusDegraded}
	want := NewRecord([]Comparison{{Name: "good", State: Good}, {Name: "team_ill", State: degraded}}, time.Date(2026, 5, 1, 12, 0, 0, 7, time.UTC))
	data, err := want.Data()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, ok := got.Expected["good"]; ok {
		t.Error("an application that is good takes room in the record")
	}
	if none, err := ParseRecord(nil); err != nil || none.Stage != None {
		t.Errorf("without a ConfigMap: %+v, %v", none, err)
	}
}

func TestRecordThatCannotBe(t *testing.T) {
	for reason, data := range map[string]map[string]string{
		"no time":         {keyStage: "adopting", keyExpected: "{}"},
		"no applications": {keyStage: "adopting", keyBegun: "2026-05-01T12:00:00Z"},
	} {
		if _, err := ParseRecord(data); err == nil || !strings.Contains(err.Error(), RecordName) {
			t.Errorf("%s: %v", reason, err)
		}
	}
	var many []Comparison
	for i := range 20000 {
		many = append(many, Comparison{Name: fmt.Sprintf("application-with-a-rather-long-name-%d", i)})
	}
	if _, err := NewRecord(many, time.Now()).Data(); err == nil || !strings.Contains(err.Error(), "20000 of them") {
		t.Errorf("what does not fit into a ConfigMap: %v", err)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add("adopting", "2026-05-01T12:00:00Z", `{"shop":{"sync":"OutOfSync","health":"Healthy"}}`)
	f.Add("", "", "")
	f.Fuzz(func(_ *testing.T, stage, begun, expected string) {
		r, err := ParseRecord(map[string]string{keyStage: stage, keyBegun: begun, keyExpected: expected})
		if err == nil {
			r.Missing(&v1alpha1.Application{}, "argocd")
		}
	})
}

func TestArrival(t *testing.T) {
	begun := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := &Record{Begun: begun, Expected: map[string]State{"ill": {v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded}}}
	application := func(name string, s State) *v1alpha1.Application {
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "argocd", CreationTimestamp: metav1.NewTime(begun.Add(-time.Hour))}}
		app.Status.Sync.Status, app.Status.Health.Status = s.Sync, s.Health
		return app
	}
	degraded := State{v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded}
	asked := application("a", Good)
	asked.Annotations = map[string]string{v1alpha1.AnnotationRefresh: "normal"}
	left := application("a", degraded)
	left.Annotations = map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}
	paused := application("a", degraded)
	paused.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionClusterPausedWarning}}
	newer := application("a", degraded)
	newer.CreationTimestamp = metav1.NewTime(begun.Add(time.Hour))
	failed := application("a", State{v1alpha1.SyncStatusCodeUnknown, v1alpha1.HealthStatusHealthy})
	failed.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionComparisonError, Message: "no such chart"}}
	for _, c := range []struct {
		reason string
		app    *v1alpha1.Application
		want   string
	}{
		{"as before", application("a", Good), ""},
		{"the engine has not come to it", asked, "a: the engine has not looked at it yet"},
		{"it fell ill", application("a", degraded), "a: Synced/Degraded, was Synced/Healthy"},
		{"it was ill before", application("ill", degraded), ""},
		{"no engine looks at it", left, ""},
		{"its cluster is paused", paused, ""},
		{"nobody knows how it was before", newer, ""},
		{"its error is told", failed, "a: Unknown/Healthy, was Synced/Healthy: no such chart"},
	} {
		if got := r.Missing(c.app, "argocd"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestArgoThatDeploysItself is about an application that would start Argo CD again.
func TestArgoThatDeploysItself(t *testing.T) {
	in := &Installation{Workloads: []Workload{
		{Kind: "StatefulSet", Name: "argocd-application-controller", Component: ApplicationController, Owner: "argocd"},
		{Kind: "Deployment", Name: "argocd-server", Component: Server, Owner: "argocd"},
	}}
	self := Comparison{Name: "argocd", State: Good, Automated: true}
	if got := Blockers(in, []Comparison{self}, nil); len(got) != 1 || !strings.Contains(got[0], "statefulset/argocd-application-controller is deployed by application argocd") {
		t.Errorf("got %q", got)
	}
	self.Automated = false
	if got := Blockers(in, []Comparison{self}, nil); len(got) != 0 {
		t.Errorf("what is synced by hand blocks it: %q", got)
	}
	moved := Comparison{Name: "shop", Automated: true, Changes: []Change{{Verb: gitops.Prune}}}
	if got := Blockers(in, []Comparison{moved, {Name: "web", Problem: "no such chart"}}, nil); len(got) != 2 {
		t.Errorf("got %q, want one for each application", got)
	}
}
