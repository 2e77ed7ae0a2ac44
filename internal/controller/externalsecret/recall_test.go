package externalsecret

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// TestACacheThatIsBehind: what was fetched a moment ago is not fetched again because the cache does not know of it.
func TestACacheThatIsBehind(t *testing.T) {
	r := New(Options{Now: func() time.Time { return now }})
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x", UID: "1", Generation: 2, ResourceVersion: "98"}}
	written := one.DeepCopy()
	written.ResourceVersion = "100"
	written.Status.RefreshTime, written.Status.SyncedResourceVersion = metav1.NewTime(now), syncedVersion(one)
	r.remember(written)
	for name, tc := range map[string]struct {
		reason string
		change func(e *esv1.ExternalSecret)
		known  bool
	}{
		"first":   {"the status is not there at all", func(*esv1.ExternalSecret) {}, true},
		"old":     {"or is an older one", func(e *esv1.ExternalSecret) { e.Status.RefreshTime = metav1.NewTime(now.Add(-time.Hour)) }, true},
		"same":    {"the object as it was written is as it is", func(e *esv1.ExternalSecret) { e.ResourceVersion = "100" }, false},
		"taken":   {"somebody took the status away later", func(e *esv1.ExternalSecret) { e.ResourceVersion = "101" }, false},
		"another": {"another one of the name is new", func(e *esv1.ExternalSecret) { e.UID = "2" }, false},
		"none":    {"a version that says nothing", func(e *esv1.ExternalSecret) { e.ResourceVersion = "" }, false},
	} {
		seen := one.DeepCopy()
		tc.change(seen)
		r.recall(seen)
		if got := seen.Status.SyncedResourceVersion == syncedVersion(one) && seen.Status.RefreshTime.Time.Equal(now); got != tc.known {
			t.Errorf("%s: %s: recalled %v", name, tc.reason, got)
		}
	}
	changed := one.DeepCopy()
	changed.Generation++
	r.recall(changed)
	if due, _ := r.due(changed, left("a", "a")); !due {
		t.Error("a spec that changed meanwhile is not fetched")
	}
}
