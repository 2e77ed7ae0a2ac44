package clusters

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// Clusters are told with what their Secrets say of them, and without what these sign in with.
func TestClustersAreToldWithoutCredentials(t *testing.T) {
	const server = "https://127.0.0.1:1"
	f, err := fleet.New(fleet.Options{Hub: &rest.Config{Host: server, BearerToken: "hub-secret"}, Namespace: "argocd", Convert: observe.New().Live})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	dev := gitops.Cluster{
		Name: "dev", Server: server + "/dev", Secret: "dev-secret", Project: "shop", Labels: map[string]string{"region": "eu"},
		Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true", "note": "private"},
	}
	if err := f.Set(t.Context(), dev, &rest.Config{Host: dev.Server, BearerToken: "dev-token"}); err != nil {
		t.Fatal(err)
	}
	all := Of(f, map[string]int{dev.Server: 3, "dev": 9})
	text, err := json.Marshal(all)
	if err != nil || len(all) != 2 {
		t.Fatalf("told are %s, %v", text, err)
	}
	for _, secret := range []string{"hub-secret", "dev-token", "private"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("told is %q: %s", secret, text)
		}
	}
	told := all[0]
	if told.Name != "dev" {
		told = all[1]
	}
	want := Health{Name: "dev", Secret: "dev-secret", Server: dev.Server, Project: "shop", Labels: dev.Labels, Paused: true, Parked: 3}
	told.Reachable, told.Since, told.Next, told.Problem, told.Closed, told.Trips = false, nil, nil, "", false, 0 // it is asked meanwhile
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Times are those of a clock that people read, and what never was has none.
func TestMomentsOfClusters(t *testing.T) {
	if got := moment(time.Time{}); got != nil {
		t.Errorf("never is %v", got)
	}
	at := time.Date(2026, 5, 4, 14, 30, 0, 999_999_999, time.FixedZone("east", 7200))
	if got := moment(at); got.Format(time.RFC3339Nano) != "2026-05-04T12:30:00Z" {
		t.Errorf("it is %v", got)
	}
}

// Thousands who ask in a moment have one answer, whatever is measured meanwhile and in whatever
// order clusters are handed over; what says how a cluster is makes another one at once.
func TestMeasurementsMakeNoOtherMoment(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(second int64) *time.Time { return new(time.Unix(second, 0)) }
	for name, tc := range map[string]struct {
		change func(*Health)
		state  bool // another one
	}{
		"Latency":      {func(h *Health) { h.Latency = 99 }, false},
		"In flight":    {func(h *Health) { h.InFlight = 7 }, false},
		"Parked":       {func(h *Health) { h.Parked = 5 }, false},
		"Last success": {func(h *Health) { h.LastSuccess = at(999) }, false},
		"Next":         {func(h *Health) { h.Next = at(1030) }, false},
		"Since":        {func(h *Health) { h.Since = at(999) }, true},
		"Closed":       {func(h *Health) { h.Closed = true }, true},
		"Trips":        {func(h *Health) { h.Trips++ }, true},
		"Groups":       {func(h *Health) { h.FailedGroups = []string{"a/v1"} }, true},
		"Paused":       {func(h *Health) { h.Paused = true }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSteady(func() time.Time { return now })
			first := s.Of([]Health{{Name: "a"}, {Name: "b"}})
			changed := []Health{{Name: "b"}, {Name: "a"}}
			tc.change(&changed[0])
			if after := s.Of(changed); (after.State != first.State) != tc.state || (after.Number != first.Number) != tc.state {
				t.Errorf("at once it is %d of %d, after %d of %d", after.Number, after.State, first.Number, first.State)
			}
			now = now.Add(measuredFor)
			if after := s.Of(changed); after.Number == first.Number || (after.State != first.State) != tc.state {
				t.Errorf("later it is %d of %d, after %d of %d", after.Number, after.State, first.Number, first.State)
			}
		})
	}
}
