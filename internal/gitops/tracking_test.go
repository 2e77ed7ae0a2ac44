package gitops

import (
	"strings"
	"testing"
)

func TestTrackingNamesComeBack(t *testing.T) {
	cases := map[string]struct{ reason, namespace, name, tracking string }{
		"control namespace": {"the plain name", "argocd", "web", "web"},
		"another namespace": {"both, joined", "team-a", "web", "team-a_web"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tracking := TrackingName(c.namespace, c.name, "argocd")
			namespace, app := SplitTrackingName(tracking, "argocd")
			if tracking != c.tracking || namespace != c.namespace || app != c.name {
				t.Errorf("%s: got %q, then %q and %q", c.reason, tracking, namespace, app)
			}
		})
	}
}

func TestTrackingIDsComeBack(t *testing.T) {
	for _, key := range []Key{{"apps", "Deployment", "shop", "web"}, {"", "Namespace", "", "shop"}, {"rbac.authorization.k8s.io", "ClusterRole", "", "system:web"}, {"batch", "Job", "shop", ""}} {
		app, got, ok := ParseTrackingID(TrackingID("team-a_web", key))
		if !ok || app != "team-a_web" || got != key {
			t.Errorf("%s came back as %q %v", key, app, got)
		}
	}
	for _, bad := range []string{"", "web", "web:Deployment", "web:apps/Deployment:web", "web:apps/:shop/web"} {
		if _, _, ok := ParseTrackingID(bad); ok {
			t.Errorf("%q counts as a tracking id", bad)
		}
	}
}

func TestLongTrackingIDsAreNobodys(t *testing.T) {
	k := Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	for size, want := range map[int]bool{10: true, 63 + 1 + 253: true, 63 + 1 + 253 + 1: false, MaxTrackingID: false} {
		if _, ok := TrackedBy(TrackingID(strings.Repeat("a", size), k), k); ok != want {
			t.Errorf("an id with an application of %d bytes belongs to one: %t", size, ok)
		}
	}
}

// TestLongestTrackingIDCounts has every name of an id as long as it may be.
func TestLongestTrackingIDCounts(t *testing.T) {
	label, domain := strings.Repeat("a", 63), strings.Repeat("a", 253)
	k := Key{Group: domain, Kind: label, Namespace: label, Name: strings.Repeat("a", mostOfName)}
	app := TrackingName(label, domain, "argocd")
	id := TrackingID(app, k)
	if got, ok := TrackedBy(id, k); !ok || got != app || len(id) != MaxTrackingID {
		t.Errorf("an id of %d bytes, where %d are the most, is %q's: %t", len(id), MaxTrackingID, got, ok)
	}
}
