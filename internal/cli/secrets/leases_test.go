package secrets

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
)

// TestLeases: what is said of values that end, of which replaced ones may be left.
func TestLeases(t *testing.T) {
	ago := func(d time.Duration) time.Time { return clitest.Noon.Add(-d) }
	of := func(change func(l *lease.Lease)) lease.Lease {
		l := lease.Lease{Generator: "VaultDynamicSecret/db", ID: "database/creds/app/id-of-it", Renewed: ago(20 * time.Minute), Ends: ago(-40 * time.Minute)}
		change(&l)
		return l
	}
	for name, tc := range map[string]struct {
		reason string
		leases []lease.Lease
		short  string
		told   []string
	}{
		"none": {"most Secrets have none", nil, "", nil},
		"renewed": {"it is renewed in time", []lease.Lease{of(func(*lease.Lease) {})}, "ends in 40m", []string{
			"the lease of VaultDynamicSecret/db ends in 40m (2026-01-01T12:40:00Z), was renewed 20m ago, and is renewed in 19m",
		}},
		"final": {"others are made in time", []lease.Lease{of(func(l *lease.Lease) { l.Final = true })}, "ends in 40m", []string{
			"the lease of VaultDynamicSecret/db ends in 40m (2026-01-01T12:40:00Z), was renewed 20m ago, and cannot be renewed any more: other values are made in 19m",
		}},
		"replaced": {"the end of those in use counts", []lease.Lease{of(func(l *lease.Lease) { l.Retired, l.Ends = ago(time.Minute), ago(-5*time.Minute) }), of(func(*lease.Lease) {})}, "ends in 40m", []string{
			"the lease of values that were replaced 60s ago ends in 5m (2026-01-01T12:05:00Z)",
			"the lease of VaultDynamicSecret/db ends in 40m (2026-01-01T12:40:00Z), was renewed 20m ago, and is renewed in 19m",
		}},
		"ended": {"nobody renewed it", []lease.Lease{of(func(l *lease.Lease) { l.Ends = ago(10 * time.Minute) })}, "ended 10m ago", []string{
			"the lease of VaultDynamicSecret/db ended 10m ago (2026-01-01T11:50:00Z), was renewed 20m ago, and is renewed now",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := (&content{secrets: there(map[string]string{esv1.AnnotationLeases: lease.Text(tc.leases)})}).tell(made(func(*esv1.ExternalSecret) {}))
			var told []string
			for i := range s.Leases {
				told = append(told, s.Leases[i].Told(clitest.Noon))
			}
			if diff := cmp.Diff(tc.told, told); diff != "" || s.LeaseText(clitest.Noon) != tc.short {
				t.Errorf("%s: %q (-want +got):\n%s", tc.reason, s.LeaseText(clitest.Noon), diff)
			}
			if text, err := json.Marshal(s); err != nil || strings.Contains(string(text), "id-of-it") {
				t.Errorf("%s: its ID is printed, with which it can be revoked: %s (%v)", tc.reason, text, err)
			}
		})
	}
}
