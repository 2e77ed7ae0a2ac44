package externalsecret

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// TestMends has how long a Secret rests that is changed again and again.
func TestMends(t *testing.T) {
	clock := now
	r := New(Options{Now: func() time.Time { return clock }})
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "ns"}}
	one.Spec.RefreshPolicy = esv1.RefreshCreatedOnce
	damaged := left("a", "a", "b")
	rests := func(want time.Duration) {
		t.Helper()
		one.Status.RefreshTime, one.Status.SyncedResourceVersion = metav1.NewTime(clock), syncedVersion(one)
		due, at := r.due(one, damaged)
		if due != (want == 0) || want > 0 && at.Sub(clock) != want {
			t.Errorf("got %v, in %s; want %s", due, at.Sub(clock), want)
		}
	}
	rests(0)
	for _, seconds := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		want := time.Duration(seconds) * time.Second
		r.mended(nameOf(one))
		rests(want)
		clock = clock.Add(want)
		rests(0)
	}
	clock = clock.Add(mostPause + time.Second)
	r.mended(nameOf(one))
	rests(time.Second)

	one.Spec.RefreshPolicy, one.Spec.RefreshInterval = esv1.RefreshPeriodic, &metav1.Duration{Duration: time.Minute}
	rests(time.Second)
	one.Spec.RefreshInterval.Duration = time.Millisecond
	rests(time.Millisecond)

	clock = clock.Add(-time.Hour)
	rests(0)
	clock = clock.Add(time.Hour)
	r.forget(nameOf(one))
	rests(0)
}
