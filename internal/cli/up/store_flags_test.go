package up

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/store"
)

// TestHowMuchHistoryIsKept: what cannot be a limit is refused, rather than taken for one that keeps nothing.
func TestHowMuchHistoryIsKept(t *testing.T) {
	cases := map[string]struct {
		reason string
		flags  storeFlags
		want   chronicle.Config
		wrong  string
	}{
		"nothing":  {"the store has limits of its own", storeFlags{}, chronicle.Config{}, ""},
		"all":      {"each limit has its flag", storeFlags{url: "x.db", entries: 7, size: "5Mi", age: time.Hour, auditSize: "1G", auditAge: 2 * time.Hour}, chronicle.Config{URL: "x.db", Limits: store.Limits{Entries: 7, Bytes: 5 << 20, Age: time.Hour, AuditBytes: 1e9, AuditAge: 2 * time.Hour}}, ""},
		"off":      {"what is not kept has no limits", storeFlags{url: "off", size: "much"}, chronicle.Config{Off: true}, ""},
		"large":    {"no size is too large", storeFlags{size: "20Pi"}, chronicle.Config{Limits: store.Limits{Bytes: 20 << 50}}, ""},
		"fraction": {"half of a unit is whole bytes", storeFlags{size: "0.5Gi"}, chronicle.Config{Limits: store.Limits{Bytes: 1 << 29}}, ""},
		"part":     {"a size that is no whole number of bytes is rounded up", storeFlags{size: "1.1Gi"}, chronicle.Config{Limits: store.Limits{Bytes: 1181116007}}, ""},
		"milli":    {"500m is half a byte", storeFlags{size: "500m"}, chronicle.Config{}, `cannot read --store-size "500m": write a size such as 500Mi`},
		"half":     {"so is this", storeFlags{auditSize: "0.5"}, chronicle.Config{}, "--audit-size"},
		"word":     {"it is no size", storeFlags{auditSize: "much"}, chronicle.Config{}, "--audit-size"},
		"zero":     {"nothing at all is said by off", storeFlags{size: "0"}, chronicle.Config{}, "--store-size"},
		"below":    {"and below that is nothing", storeFlags{size: "-5Mi"}, chronicle.Config{}, "--store-size"},
		"entries":  {"no number of syncs is negative", storeFlags{entries: -1}, chronicle.Config{}, "--store-entries cannot be negative"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := c.flags.config()
			if c.wrong != "" {
				if command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%s: %v", c.reason, err)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}
