package journal

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// resource is an object of a status, with a health unless that is empty.
func resource(kind, name string, health v1alpha1.HealthStatusCode) v1alpha1.ResourceStatus {
	out := v1alpha1.ResourceStatus{Kind: kind, Namespace: "shop", Name: name}
	if health != "" {
		out.Health = &v1alpha1.HealthStatus{Status: health}
	}
	return out
}

// TestChangesOfHealth compares two looks at an Application.
func TestChangesOfHealth(t *testing.T) {
	const healthy, degraded, missing, progressing = v1alpha1.HealthStatusHealthy, v1alpha1.HealthStatusDegraded, v1alpha1.HealthStatusMissing, v1alpha1.HealthStatusProgressing
	list := func(r ...v1alpha1.ResourceStatus) []v1alpha1.ResourceStatus { return r }
	cases := map[string]struct {
		reason       string
		before, now  []v1alpha1.ResourceStatus
		was, becomes v1alpha1.HealthStatusCode
		want         []string
	}{
		"same":        {"nothing to tell", list(resource("Deployment", "web", healthy)), list(resource("Deployment", "web", healthy)), healthy, healthy, nil},
		"whole":       {"the Application itself has no kind", nil, nil, healthy, degraded, []string{"/ Healthy>Degraded"}},
		"object":      {"one of several", list(resource("Deployment", "api", healthy), resource("Deployment", "web", healthy)), list(resource("Deployment", "api", healthy), resource("Deployment", "web", degraded)), "", "", []string{"Deployment/web Healthy>Degraded"}},
		"new":         {"an object that is new comes from nothing", nil, list(resource("Deployment", "web", progressing)), "", "", []string{"Deployment/web >Progressing"}},
		"not there":   {"one that is not there yet has not changed", nil, list(resource("Deployment", "web", missing)), "", "", nil},
		"went":        {"one that was there has", list(resource("Deployment", "web", healthy)), list(resource("Deployment", "web", missing)), "", "", []string{"Deployment/web Healthy>Missing"}},
		"no check":    {"a kind without a health is never told", list(resource("ConfigMap", "a", "")), list(resource("ConfigMap", "a", "")), "", "", nil},
		"check ends":  {"nor is one whose health is asked for no more", list(resource("Deployment", "web", healthy)), list(resource("Deployment", "web", "")), "", "", nil},
		"check comes": {"one whose health is asked for now", list(resource("Deployment", "web", "")), list(resource("Deployment", "web", healthy)), "", "", []string{"Deployment/web >Healthy"}},
		"left":        {"what is no part of it any more", list(resource("ConfigMap", "a", healthy), resource("Deployment", "web", healthy)), list(resource("Deployment", "web", healthy)), "", "", nil},
		"between":     {"what comes and goes beside it does not mix them up", list(resource("Deployment", "api", healthy), resource("Deployment", "web", degraded)), list(resource("ConfigMap", "a", ""), resource("Deployment", "mid", healthy), resource("Deployment", "web", healthy)), "", "", []string{"Deployment/mid >Healthy", "Deployment/web Degraded>Healthy"}},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			before, now := &v1alpha1.ApplicationStatus{Resources: tc.before}, &v1alpha1.ApplicationStatus{Resources: tc.now}
			before.Health.Status, now.Health.Status = tc.was, tc.becomes
			var got []string
			for _, c := range changes(before, now, at) {
				got = append(got, c.Kind+"/"+c.Name+" "+string(c.From)+">"+string(c.To))
				if !c.At.Equal(at) {
					t.Errorf("%s: it is of %s", tc.reason, c.At)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChangesTellNamesakesApart: the same name may be of another group or namespace.
func TestChangesTellNamesakesApart(t *testing.T) {
	of := func(group, namespace string, health v1alpha1.HealthStatusCode) v1alpha1.ResourceStatus {
		r := resource("Service", "web", health)
		r.Group, r.Namespace = group, namespace
		return r
	}
	const healthy, degraded = v1alpha1.HealthStatusHealthy, v1alpha1.HealthStatusDegraded
	before := &v1alpha1.ApplicationStatus{Resources: []v1alpha1.ResourceStatus{of("", "shop", healthy), of("", "shop-a", degraded), of("serving.knative.dev", "shop", healthy)}}
	now := &v1alpha1.ApplicationStatus{Resources: []v1alpha1.ResourceStatus{of("", "shop", healthy), of("", "shop-a", healthy), of("serving.knative.dev", "shop", degraded)}}
	want := []history.Change{
		{At: at, Kind: "Service", Namespace: "shop-a", Name: "web", From: gitops.Degraded, To: gitops.Healthy},
		{At: at, Group: "serving.knative.dev", Kind: "Service", Namespace: "shop", Name: "web", From: gitops.Healthy, To: gitops.Degraded},
	}
	if diff := cmp.Diff(want, changes(before, now, at)); diff != "" {
		t.Errorf("what has changed (-want +got):\n%s", diff)
	}
}

// TestHealthAfterASyncIsOfThatSync: it was the last to touch the objects. An
// Application that was never synced has nobody to blame.
func TestHealthAfterASyncIsOfThatSync(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		phase   v1alpha1.OperationPhase
		changes int
	}{
		"Runs":  {"while it runs", v1alpha1.OperationRunning, 1},
		"Ended": {"and when it is over", v1alpha1.OperationSucceeded, 1},
		"None":  {"nothing was synced", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, tg := &told{}, syncing(at)
			if tg.App.Status.OperationState.Phase = tc.phase; tc.phase == "" {
				tg.App.Status.OperationState = nil
			}
			tg.App.Status.Health.Status = v1alpha1.HealthStatusDegraded
			j := NewJournal(h, (&clock{at}).Now)
			j.Note(tg, &v1alpha1.ApplicationStatus{})
			j.Note(tg, tg.App.Status.DeepCopy()) // nothing has changed since
			if got := h.health[history.ID("1", at)]; len(got) != tc.changes {
				t.Errorf("%s: it is told %+v", tc.reason, h.health)
			}
		})
	}
}

// TestObjectsAreHealthyOnce: when an object was first healthy after it was applied is
// how long it took, whatever becomes of it later.
func TestObjectsAreHealthyOnce(t *testing.T) {
	c, h, tg := &clock{at}, &told{}, syncing(at)
	j := NewJournal(h, c.Now)
	j.Waved(tg, &gitops.Wave{Phase: gitops.Sync}, at, []gitops.Result{outcome("a", gitops.Created), outcome("b", gitops.Created)})
	turn := func(after time.Duration, name string, to gitops.HealthCode) history.Change {
		return history.Change{At: at.Add(after), Kind: "ConfigMap", Namespace: "shop", Name: name, To: to}
	}
	j.Advance(tg, []history.Change{turn(1, "a", gitops.Progressing), turn(1, "b", gitops.Progressing), {At: at.Add(1), To: gitops.Healthy}})
	j.Advance(tg, []history.Change{turn(2, "a", gitops.Healthy), turn(2, "else", gitops.Healthy)})
	j.Advance(tg, []history.Change{turn(3, "a", gitops.Degraded)})
	j.Advance(tg, []history.Change{turn(4, "a", gitops.Healthy)})
	tg.App.Status.OperationState.Phase = v1alpha1.OperationSucceeded
	j.Advance(tg, nil)
	objects := h.last().Waves[0].Objects
	if !objects[0].Healthy.Equal(at.Add(2)) || !objects[1].Healthy.IsZero() {
		t.Errorf("they were healthy at %s and %s", objects[0].Healthy, objects[1].Healthy)
	}
}
