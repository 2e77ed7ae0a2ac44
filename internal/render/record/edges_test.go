package record

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestReadsEndWithTheRender: a render that was given up reads nothing more, and what it did not learn is not noted.
func TestReadsEndWithTheRender(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tree := Wrap(ctx, treetest.Snapshot("r", "1", files()), Limits{})
	cancel()
	for name, read := range map[string]func() error{
		"a file":       func() error { _, err := tree.ReadFile("c"); return err },
		"a folder":     func() error { _, err := tree.ReadDir("a"); return err },
		"a kind":       func() error { _, err := tree.Stat("c"); return err },
		"an open file": func() error { _, err := tree.Open("c"); return err },
	} {
		if err := read(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s is read: %v", name, err)
		}
	}
	if n := tree.Log(".").Len(); n != 0 {
		t.Errorf("%d answers are noted that nobody got", n)
	}
}

// TestFactsHold: a render holds for a cluster that would have answered all that it asked in the same way.
func TestFactsHold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		ask    func(*Facts)
		now    gitops.Facts
		want   bool
	}{
		"Nothing":     {"who asked nothing holds for any", func(*Facts) {}, gitops.Facts{KubeVersion: "9"}, true},
		"Version":     {"another version", func(f *Facts) { f.KubeVersion() }, gitops.Facts{KubeVersion: "1.34", APIVersions: []string{"apps/v1", "v1"}}, false},
		"Same":        {"the same with other kinds", func(f *Facts) { f.KubeVersion() }, gitops.Facts{KubeVersion: "1.33"}, true},
		"No version":  {"a cluster that tells none is another one", func(f *Facts) { f.KubeVersion() }, gitops.Facts{}, false},
		"Has":         {"a kind that is gone", func(f *Facts) { f.Has("v1") }, gitops.Facts{APIVersions: []string{"apps/v1"}}, false},
		"Had not":     {"a kind that came", func(f *Facts) { f.Has("x/v1") }, gitops.Facts{APIVersions: []string{"v1", "x/v1"}}, false},
		"Other kind":  {"one that nobody asked for", func(f *Facts) { f.Has("v1") }, gitops.Facts{APIVersions: []string{"v1", "x/v1"}}, true},
		"Unsorted":    {"in whatever order they are told", func(f *Facts) { f.Has("v1"); f.Has("apps/v1") }, gitops.Facts{APIVersions: []string{"v1", "apps/v1"}}, true},
		"All":         {"who asked for all sees any", func(f *Facts) { f.APIVersions() }, gitops.Facts{KubeVersion: "9", APIVersions: []string{"apps/v1", "v1", "x/v1"}}, false},
		"All of them": {"and holds for the same ones", func(f *Facts) { f.APIVersions() }, gitops.Facts{KubeVersion: "9", APIVersions: []string{"apps/v1", "v1"}}, true},
		"Joined":      {"two names are not one that has both", func(f *Facts) { f.APIVersions() }, gitops.Facts{APIVersions: []string{"apps/v1v1"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := WrapFacts(gitops.Facts{KubeVersion: "1.33", APIVersions: []string{"apps/v1", "v1"}})
			tc.ask(f)
			if got := f.Log().Holds(tc.now); got != tc.want {
				t.Errorf("%s: it holds: %t", tc.reason, got)
			}
		})
	}
}

// TestValuesAreHiddenInTheirForms: as they are written, in quotes and in base64, and each long line by itself.
func TestValuesAreHiddenInTheirForms(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, value string
		hidden, shown []string
	}{
		"Plain":  {"a value is itself, and in base64 with and without a line end", " hunter2 ", []string{"hunter2", "aHVudGVyMg==", "aHVudGVyMgo=", "IGh1bnRlcjIg"}, []string{" hunter2 "}},
		"Short":  {"five letters are a word", "abcde", nil, []string{"abcde"}},
		"Blanks": {"blanks do not make it longer", "  abcde  ", nil, []string{"abcde"}},
		"Bytes":  {"six bytes are none, in whatever letters", "äöü", []string{"äöü"}, nil},
		"Quoted": {"quotes have their signs", "a\"b\ncdef", []string{`a\"b\ncdef`}, []string{"cdef"}},
		"Lines":  {"long lines may come up alone", "short\n" + strings.Repeat("x", 16) + "\r\n" + strings.Repeat("y", 15), []string{strings.Repeat("x", 16)}, []string{"short", strings.Repeat("y", 15)}},
		"None":   {"nothing is no secret", "", nil, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files()), Limits{})
			if err := tree.hide("x", []string{tc.value, tc.value}); err != nil {
				t.Fatal(err)
			}
			got := tree.Hidden()
			if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Errorf("%s: %q", tc.reason, got)
			}
			for _, text := range tc.hidden {
				if !slices.Contains(got, text) {
					t.Errorf("%s: %q is shown: %q", tc.reason, text, got)
				}
			}
			for _, text := range tc.shown {
				if slices.Contains(got, text) {
					t.Errorf("%s: %q is hidden", tc.reason, text)
				}
			}
		})
	}
}

func TestBelow(t *testing.T) {
	for _, tc := range []struct {
		name, folder string
		want         bool
	}{{"a/b", "a", true}, {"a", "a", true}, {"ab", "a", false}, {"a", "a/b", false}, {"x", ".", true}, {".", ".", true}, {"", "a", false}, {"a/../b", "a", true}} {
		if got := Below(tc.name, tc.folder); got != tc.want {
			t.Errorf("%q is below %q: %t", tc.name, tc.folder, got)
		}
	}
	var none fs.FileInfo
	if got := kindOf(none, fs.ErrNotExist); got != "nothing" {
		t.Errorf("what is not there is %q", got)
	}
}
