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
		"zero":            {"an interval of zero is CreatedOnce", ExternalSecretSpec{RefreshInterval: &metav1.Duration{}}, true, 0},
		"created once":    {"the policy counts before the interval", ExternalSecretSpec{RefreshPolicy: RefreshCreatedOnce, RefreshInterval: &metav1.Duration{Duration: time.Minute}}, true, 0},
		"on change":       {"no time brings it", ExternalSecretSpec{RefreshPolicy: RefreshOnChange}, false, 0},
		"zero, on change": {"the interval has no meaning there", ExternalSecretSpec{RefreshPolicy: RefreshOnChange, RefreshInterval: &metav1.Duration{}}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			one := &ExternalSecret{Spec: c.spec, Status: ExternalSecretStatus{RefreshTime: metav1.NewTime(last)}}
			want := time.Time{}
			if c.want > 0 {
				want = last.Add(c.want)
			}
			if one.Once() != c.once || !one.NextRefresh().Equal(want) {
				t.Errorf("%s: once %t, next %s, want %s", c.reason, one.Once(), one.NextRefresh(), want)
			}
		})
	}
}
