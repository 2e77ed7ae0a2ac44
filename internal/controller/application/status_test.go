package application

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// compared is a comparison of one healthy ConfigMap at a revision.
func compared(revision string, sync gitops.SyncCode) *state.Comparison {
	key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	live := &gitops.Live{Key: key, Health: gitops.Health{Code: gitops.Healthy}}
	return &state.Comparison{
		Wanted: opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{revision}},
		Comparison: compare.Comparison{
			Set:       &plan.Set{},
			Rendering: &gitops.Rendering{Types: []gitops.SourceType{"Directory"}},
			Plan: &gitops.Plan{Sync: sync, Waves: []gitops.Wave{{Phase: gitops.Sync, Actions: []gitops.Action{
				{Verb: gitops.Keep, Key: key, Desired: &gitops.Manifest{Object: object}, Live: live, Sync: sync},
			}}}},
		},
	}
}

func TestShow(t *testing.T) {
	later := at.Add(time.Hour)
	cases := map[string]struct {
		reason   string
		change   func(*v1alpha1.Application)
		next     *state.Comparison
		revision string
		written  bool
	}{
		"same":         {"nothing moved: nothing is written", nil, compared("abc", gitops.Synced), "abc", false},
		"revision":     {"a commit that changes nothing of the application is no reason to write", nil, compared("def", gitops.Synced), "abc", false},
		"asked":        {"who asked for a look sees which revision it was", nil, asked(compared("def", gitops.Synced)), "def", true},
		"drift":        {"drift shows, with the revision that was compared", nil, compared("def", gitops.OutOfSync), "def", true},
		"source":       {"an edited spec shows with its revision", func(app *v1alpha1.Application) { app.Spec.Destination.Namespace = "other" }, compared("def", gitops.Synced), "def", true},
		"never looked": {"the first look is always written", func(app *v1alpha1.Application) { app.Status = v1alpha1.ApplicationStatus{} }, compared("abc", gitops.Synced), "abc", true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			show(app, compared("abc", gitops.Synced), observe.New(), at)
			if app.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced || app.Status.Health.Status != v1alpha1.HealthStatusHealthy || len(app.Status.Resources) != 1 {
				t.Fatalf("the first look shows %+v", app.Status)
			}
			if c.change != nil {
				c.change(app)
			}
			before := app.Status.DeepCopy()
			show(app, c.next, observe.New(), later)
			if got := app.Status.Sync.Revision; got != c.revision {
				t.Errorf("%s: the revision is %q, want %q", c.reason, got, c.revision)
			}
			if changed := !cmp.Equal(before, &app.Status); changed != c.written {
				t.Errorf("%s: the status changed: %t, want %t:\n%s", c.reason, changed, c.written, cmp.Diff(before, &app.Status))
			}
			if at := app.Status.ReconciledAt; c.written && !at.Time.Equal(later) {
				t.Errorf("%s: reconciled at %v, want %v", c.reason, at, later)
			}
		})
	}
}

func asked(c *state.Comparison) *state.Comparison {
	c.Asked = true
	return c
}

func TestSameButRevision(t *testing.T) {
	status := func(change func(*v1alpha1.ApplicationStatus)) *v1alpha1.ApplicationStatus {
		s := &v1alpha1.ApplicationStatus{}
		s.Sync.Revision, s.Sync.Status = "abc", v1alpha1.SyncStatusCodeSynced
		if change != nil {
			change(s)
		}
		return s
	}
	cases := map[string]struct {
		reason string
		a, b   *v1alpha1.ApplicationStatus
		want   bool
	}{
		"equal":     {"nothing moved", status(nil), status(nil), true},
		"revision":  {"only the revision moved", status(nil), status(func(s *v1alpha1.ApplicationStatus) { s.Sync.Revision = "def" }), true},
		"several":   {"only revisions moved", status(func(s *v1alpha1.ApplicationStatus) { s.Sync.Revision, s.Sync.Revisions = "", []string{"a", "b"} }), status(func(s *v1alpha1.ApplicationStatus) { s.Sync.Revision, s.Sync.Revisions = "", []string{"a", "c"} }), true},
		"sync":      {"the verdict moved too", status(nil), status(func(s *v1alpha1.ApplicationStatus) { s.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }), false},
		"operation": {"a sync ran", status(nil), status(func(s *v1alpha1.ApplicationStatus) { s.OperationState = &v1alpha1.OperationState{} }), false},
		"first":     {"without an earlier revision there is nothing to keep", &v1alpha1.ApplicationStatus{}, &v1alpha1.ApplicationStatus{}, false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := sameButRevision(c.a, c.b); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
}

// TestWarningsThatAreLeftOutCount: a plan has the first ones of very many warnings, and their number.
func TestWarningsThatAreLeftOutCount(t *testing.T) {
	const kind = v1alpha1.ApplicationConditionIneffectiveOptionWarning
	var all gitops.Warnings
	for range 1000 {
		all.Add(gitops.Warning{Reason: kind, Message: "text"})
	}
	c := compared("abc", gitops.Synced)
	c.Plan.Warnings = all.List()
	got := warnings(c)
	if len(got) != maxWarnings+1 || got[maxWarnings].Message != "and 990 more" {
		t.Errorf("%d conditions: %+v", len(got), got)
	}
}
