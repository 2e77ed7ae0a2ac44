package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestDriftedSaysHowMuchIsNotTold(t *testing.T) {
	theirs := []gitops.Deviation{{Field: "data.a", Manager: "kubectl", Operation: "Update", Policy: gitops.DriftFreeze}}
	const told = "was changed by kubectl (Update): data.a (frozen: it stays so)"
	for want, got := range map[string]string{
		told:                          Drifted(theirs, 0),
		told + "; and 51 more differ": Drifted(theirs, 51),
		"":                            Drifted([]gitops.Deviation{{Field: "data.a", Ours: true}}, 7),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Who changed what is told once for each writer, time and what becomes of it.
func TestDriftedByWriter(t *testing.T) {
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	by := func(manager, field string, when time.Time, policy gitops.DriftPolicy) gitops.Deviation {
		return gitops.Deviation{Field: field, Manager: manager, Operation: "Update", Time: when, Policy: policy}
	}
	for name, tc := range map[string]struct {
		reason string
		list   []gitops.Deviation
		want   string
	}{
		"One":    {"both fields were written at once", []gitops.Deviation{by("kubectl", "data.a", at, ""), by("kubectl", "data.b", at, "")}, "was changed by kubectl (Update) at 2026-05-04T12:00:00Z: data.a, data.b"},
		"Twice":  {"at another time it is another change", []gitops.Deviation{by("kubectl", "data.a", at, ""), by("hpa", "spec.replicas", time.Time{}, ""), by("kubectl", "data.b", at.Add(time.Hour), "")}, "was changed by kubectl (Update) at 2026-05-04T12:00:00Z: data.a; was changed by hpa (Update): spec.replicas; was changed by kubectl (Update) at 2026-05-04T13:00:00Z: data.b"},
		"Shown":  {"a sync undoes it", []gitops.Deviation{by("kubectl", "data.a", time.Time{}, gitops.DriftShow)}, "was changed by kubectl (Update): data.a (shown only: a sync undoes it)"},
		"Apart":  {"what becomes of it differs", []gitops.Deviation{by("kubectl", "data.a", time.Time{}, gitops.DriftShow), by("kubectl", "data.b", time.Time{}, "")}, "was changed by kubectl (Update): data.a (shown only: a sync undoes it); was changed by kubectl (Update): data.b"},
		"Frozen": {"a field that is missing has no writer, and stays so", []gitops.Deviation{by("", "data.a", time.Time{}, gitops.DriftFreeze)}, "lacks data.a (frozen: it stays so)"},
		"Git":    {"what Git adds nobody has changed", []gitops.Deviation{by("", "data.a", time.Time{}, "")}, ""},
		"Whole":  {"an object that differs as a whole has no field", []gitops.Deviation{by("kubectl", "", time.Time{}, "")}, ""},
		"Nobody": {"nothing differs", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Drifted(tc.list, 0); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	var many []gitops.Deviation
	for i := range 3 * maxDrifted {
		many = append(many, by(fmt.Sprint("writer-", i), "data.a", at, ""))
	}
	if got := Drifted(many, 0); strings.Count(got, "was changed") > maxDrifted || !strings.Contains(got, "more") {
		t.Errorf("of %d writers it tells %q", len(many), got)
	}
}
