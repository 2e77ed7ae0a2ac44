package render_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestChangedElsewhere tells which files of a base made an application change,
// whichever side's rendering is kept.
func TestChangedElsewhere(t *testing.T) {
	at1 := treetest.Snapshot(base, rev1, treetest.Files{"a": "1", "b": "1"})
	unread := treetest.Snapshot(base, rev2, treetest.Files{"a": "1", "b": "2"})
	read := treetest.Snapshot(base, rev2, treetest.Files{"a": "2", "b": "1"})
	cases := map[string]struct {
		reason        string
		before, after elsewhere
		want          []string
	}{
		"Same":   {"nothing changed", elsewhere{base: at1}, elsewhere{base: at1}, nil},
		"Unread": {"a file that was not read", elsewhere{base: at1}, elsewhere{base: unread}, nil},
		"Read":   {"a file that was read", elsewhere{base: at1}, elsewhere{base: read}, []string{"-1 a " + rev2}},
		"Gone":   {"what does not answer any more stays in place", elsewhere{base: at1}, elsewhere{}, nil},
		"Came":   {"the whole was not there before", elsewhere{}, elsewhere{base: read}, []string{"-1  " + rev2}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := treetest.Snapshot(repo, rev1, monorepo())
			before := render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{s}, Remotes: tc.before}
			after := before
			after.Remotes = tc.after
			r := render.New(render.Options{}, reader{base})
			outcome(t, r, before)
			changed, ok := r.Changed(t.Context(), before, after)
			var got []string
			for _, o := range changed {
				got = append(got, fmt.Sprintf("%d %s %s", o.Source, o.File, o.Revision))
			}
			if d := cmp.Diff(tc.want, got); d != "" || !ok {
				t.Errorf("%s: %v %s", tc.reason, ok, d)
			}
		})
	}
}
