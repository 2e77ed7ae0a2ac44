package v1

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestNextRefresh is when values are fetched again, by policy and interval.
func TestNextRefresh(t *testing.T) {
	last := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		reason string
		spec   ExternalSecretSpec
		once   bool
		want   time.Duration // after the last refresh; 0 for never
	}{
		"nothing":         {"an hour is what nothing means", ExternalSecretSpec{}, false, time.Hour},
		"interval":        {"the interval counts", ExternalSecretSpec{RefreshInterval: &metav1.Duration{Duration: time.Minute}}, false, time.Minute},
		"years":           {"nor does any number of years overflow", ExternalSecretSpec{RefreshInterval: &metav1.Duration{Duration: 87600 * time.Hour}}, false, 87600 * time.Hour},
		"seconds":         {"who waits for seconds waits for no others", ExternalSecretSpec{RefreshInterval: &metav1.Duration{Duration: 50 * time.Second}}, false, 50 * time.Second},
		"zero":            {"an interval of zero is CreatedOnce", ExternalSecretSpec{RefreshInterval: &metav1.Duration{}}, true, 0},
		"created once":    {"the policy counts before the interval", ExternalSecretSpec{RefreshPolicy: RefreshCreatedOnce, RefreshInterval: &metav1.Duration{Duration: time.Minute}}, true, 0},
		"on change":       {"no time brings it", ExternalSecretSpec{RefreshPolicy: RefreshOnChange}, false, 0},
		"zero, on change": {"the interval has no meaning there", ExternalSecretSpec{RefreshPolicy: RefreshOnChange, RefreshInterval: &metav1.Duration{}}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			one := &ExternalSecret{Spec: c.spec, Status: ExternalSecretStatus{RefreshTime: metav1.NewTime(last)}}
			next := one.NextRefresh()
			if one.Once() != c.once || next.IsZero() != (c.want == 0) {
				t.Errorf("%s: once %t, next %s, want after %s", c.reason, one.Once(), next, c.want)
			}
			if after := next.Sub(last); c.want > 0 && (after > c.want || after <= c.want-c.want/10 || c.want < time.Minute && after < c.want) {
				t.Errorf("%s: next after %s, want %s or up to a tenth less", c.reason, after, c.want)
			}
		})
	}
}

// TestRefreshesAreSpread is that those that were made together are not refreshed
// together, unless they read the same.
func TestRefreshesAreSpread(t *testing.T) {
	last := metav1.NewTime(time.Unix(1000, 0))
	next := func(name string, spec ExternalSecretSpec) time.Time {
		return (&ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: spec, Status: ExternalSecretStatus{RefreshTime: last}}).NextRefresh()
	}
	reads := func(store, key string) ExternalSecretSpec {
		return ExternalSecretSpec{SecretStoreRef: SecretStoreRef{Name: store}, Data: []ExternalSecretData{{RemoteRef: RemoteRef{Key: key}}}}
	}
	minutes := map[int64]bool{}
	for i := range 200 {
		key := string(rune('a'+i%26)) + string(rune('a'+i/26))
		at := next("one", reads("vault", key))
		minutes[int64(at.Sub(last.Time)/time.Minute)] = true
		if other := next("other", reads("vault", key)); !other.Equal(at) {
			t.Errorf("%s is read at %s and %s: two calls where one would do", key, at, other)
		}
	}
	if len(minutes) != 6 {
		t.Errorf("200 entries are read in the minutes %v, want all of the last tenth of an hour", minutes)
	}
	whole := ExternalSecretSpec{SecretStoreRef: SecretStoreRef{Name: "vault"}, DataFrom: []ExternalSecretDataFrom{{Extract: &RemoteRef{Key: "aa"}}}}
	if !next("whole", whole).Equal(next("one", reads("vault", "aa"))) {
		t.Error("an entry that is read as a whole has another time than its values")
	}
	found := ExternalSecretSpec{DataFrom: []ExternalSecretDataFrom{{Find: &Find{}}}}
	if next("a", found).Equal(next("b", found)) {
		t.Error("two that find values are asked for at one time")
	}
}
