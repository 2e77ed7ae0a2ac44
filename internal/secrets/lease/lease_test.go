package lease

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

func TestEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		lease  Lease
		want   time.Time
	}{
		"lease": {"a token that lasts ends nothing", Lease{Ends: after(time.Hour)}, after(time.Hour)},
		"later": {"nor does one that lasts longer", Lease{Ends: after(time.Hour), TokenEnds: after(2 * time.Hour)}, after(time.Hour)},
		"token": {"the server revokes all that a token made when it ends", Lease{Ends: after(time.Hour), TokenEnds: after(time.Minute)}, after(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.lease.End(); !got.Equal(tc.want) {
				t.Errorf("%s: got %s", tc.reason, got)
			}
		})
	}
}

func TestLeasesAreRenewedAtTwoThirdsEachAtItsTime(t *testing.T) {
	seen := map[time.Time]bool{}
	for i := range 200 {
		l := Lease{ID: fmt.Sprint("database/creds/app/", i), Renewed: noon, Ends: after(time.Hour)}
		next := l.Next()
		if next.Before(after(35*time.Minute)) || next.After(after(40*time.Minute)) {
			t.Fatalf("lease %d is renewed at %s", i, next)
		}
		if l.Due(next.Add(-time.Second)) || !l.Due(next) {
			t.Errorf("lease %d is not due at %s", i, next)
		}
		seen[next] = true
	}
	if len(seen) < 150 {
		t.Errorf("200 leases are renewed at %d times", len(seen))
	}
	if l := (Lease{Renewed: after(time.Hour), Ends: after(2 * time.Hour)}); !l.Due(noon) {
		t.Error("what another clock says is to be asked anew")
	}
}

func TestShort(t *testing.T) {
	l := Lease{Span: 60, Ends: after(time.Minute)}
	for at, want := range map[time.Duration]bool{0: false, 2 * time.Second: false, 10 * time.Second: true, time.Hour: true} {
		if got := l.Short(after(at)); got != want {
			t.Errorf("after %s: %v", at, got)
		}
	}
}

func TestUntil(t *testing.T) {
	l := Lease{Retired: noon, Ends: after(time.Hour)}
	if got := l.Until(time.Minute); !got.Equal(after(time.Minute)) {
		t.Errorf("with a short grace: %s", got)
	}
	if got := l.Until(24 * time.Hour); !got.Equal(after(time.Hour)) {
		t.Errorf("none lasts longer than it does: %s", got)
	}
}

func TestRetire(t *testing.T) {
	kept, old := Retire([]Lease{{ID: "new"}, {ID: "old", Retired: after(-time.Hour)}}, noon)
	if diff := cmp.Diff([]Lease{{ID: "old", Retired: after(-time.Hour)}, {ID: "new", Retired: noon}}, kept); diff != "" || len(old) > 0 {
		t.Errorf("got %v:\n%s", old, diff)
	}
	var many []Lease
	for i := range mostRetired + 2 {
		many = append(many, Lease{ID: strconv.Itoa(i), Retired: after(time.Duration(i) * time.Second)})
	}
	if kept, old = Retire(many, noon); len(kept) != mostRetired || len(old) != 2 || old[0].ID != "0" {
		t.Errorf("kept %d, and not %v", len(kept), old)
	}
}

func TestTextIsRead(t *testing.T) {
	all := []Lease{{
		Generator: "VaultDynamicSecret/db", ID: "database/creds/app/1", Renewable: true, Span: 60, Made: noon, Renewed: noon, Ends: after(time.Minute), Retired: after(time.Second),
	}}
	if diff := cmp.Diff(all, Parse(Text(all))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"", "{}", "[1]", `[{"id":""}]`, `[{"id":"x"}]`, "[" + strings.Repeat(" ", mostText) + "]"} {
		if got := Parse(text); len(got) > 0 {
			t.Errorf("%.20q: %v", text, got)
		}
	}
	if Text(nil) != "" {
		t.Error("there is a text of none")
	}
}

func TestVeryManyAreNotRead(t *testing.T) {
	var all []Lease
	for i := range 1_000 {
		all = append(all, Lease{ID: strconv.Itoa(i), Ends: noon})
	}
	if got := Parse(Text(all)); len(got) != mostRead || got[mostRead-1].ID != "999" {
		t.Errorf("%d are read", len(got))
	}
}
