package history

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// An engine that goes on with a sync finds what was applied as it should be: what the
// engine before it did is told, and what this one did.
func TestWhatTwoEnginesDid(t *testing.T) {
	wave := func(number int, began time.Time, objects ...Object) Wave {
		return Wave{Phase: gitops.Sync, Number: number, Started: began, Objects: objects}
	}
	object := func(outcome string, healthy time.Time) Object {
		return Object{Kind: "ConfigMap", Name: "a", Message: outcome, Healthy: healthy}
	}
	for name, tc := range map[string]struct {
		reason      string
		before, now []Wave
		want        []Wave
	}{
		"Unchanged":       {"the first one had created it", []Wave{wave(0, noon, object("created", time.Time{}))}, []Wave{wave(0, after(9), object("unchanged", after(12)))}, []Wave{wave(0, noon, object("created", after(12)))}},
		"Healthy before":  {"it was healthy for the first one already", []Wave{wave(0, noon, object("created", after(3)))}, []Wave{wave(0, after(9), object("unchanged", after(12)))}, []Wave{wave(0, noon, object("created", after(3)))}},
		"Remark":          {"what comes after the outcome is a remark", []Wave{wave(0, noon, object("created", noon))}, []Wave{wave(0, after(9), object("unchanged; with a warning", noon))}, []Wave{wave(0, noon, object("created", noon))}},
		"Changed again":   {"the second one changed it", []Wave{wave(0, noon, object("created", noon))}, []Wave{wave(0, after(9), object("configured", time.Time{}))}, []Wave{wave(0, noon, object("configured", time.Time{}))}},
		"New":             {"the first one had not come to it", []Wave{wave(0, noon)}, []Wave{wave(0, after(9), object("unchanged", noon))}, []Wave{wave(0, noon, object("unchanged", noon))}},
		"Next wave":       {"a wave that the first one had not begun", []Wave{wave(0, noon)}, []Wave{wave(1, after(9))}, []Wave{wave(0, noon), wave(1, after(9))}},
		"Nothing before":  {"it had begun none", nil, []Wave{wave(0, noon)}, []Wave{wave(0, noon)}},
		"Nothing further": {"the second one did nothing", []Wave{wave(0, noon)}, nil, []Wave{wave(0, noon)}},
		"Earlier try": {
			"a wave of an earlier try stands before those of later ones", []Wave{{Try: 2, Started: after(5)}}, []Wave{{Try: 1, Started: after(1)}}, []Wave{{Try: 1, Started: after(1)}, {Try: 2, Started: after(5)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := func(waves []Wave) string {
				out, err := json.Marshal(waves)
				if err != nil {
					t.Fatal(err)
				}
				return string(out)
			}
			was := text(tc.before) + text(tc.now)
			if diff := cmp.Diff(tc.want, mergeWaves(tc.before, tc.now)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if text(tc.before)+text(tc.now) != was {
				t.Errorf("%s: what was merged has changed", tc.reason)
			}
		})
	}
}

// Who asked, and what was rendered, are known to the engine that began; what the later
// one knows counts more.
func TestWhatTheFirstEngineKnew(t *testing.T) {
	before := &Sync{
		Request: "r1", Rendering: "m1", Sources: json.RawMessage(`[1]`), Commits: []Commit{{Revision: "a"}}, Passes: Passes{Began: noon}, Origin: &Origin{Brought: true},
		Waves: []Wave{tried(0, "web created")}, Phase: "Running",
	}
	for name, tc := range map[string]struct {
		reason string
		now    Sync
		want   Sync
	}{
		"Nothing": {"the later one goes on with what was rendered", Sync{Phase: "Failed"}, Sync{Phase: "Failed", Request: "r1", Rendering: "m1", Sources: before.Sources, Commits: before.Commits, Passes: before.Passes, Origin: before.Origin, Waves: before.Waves, Changed: Counts{Created: 1, Total: 1}}},
		"Itself": {"it has rendered itself", Sync{Phase: "Succeeded", Request: "r2", Rendering: "m2", Commits: []Commit{{Revision: "b"}}}, Sync{
			Phase: "Succeeded", Request: "r2", Rendering: "m2", Commits: []Commit{{Revision: "b"}}, Waves: before.Waves, Changed: Counts{Created: 1, Total: 1},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&tc.want, tc.now.After(before)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if len(tc.now.Waves) > 0 || tc.now.Changed != (Counts{}) {
				t.Errorf("%s: the later record itself has changed: %+v", tc.reason, tc.now)
			}
		})
	}
}
