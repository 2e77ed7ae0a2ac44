package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// located is a source of two repositories.
func located(t *testing.T, limits record.Limits) *Source {
	t.Helper()
	tree := func(repo string) *record.Tree {
		return record.Wrap(t.Context(), treetest.Snapshot(repo, "r1", treetest.Files{"apps/web/x": "1"}), limits)
	}
	return &Source{
		Tree: tree("own"), Path: "apps/web", Refs: map[string]*record.Tree{"values": tree("other"), "empty": nil},
		Env: environ.Env{"ARGOCD_APP_NAME": environ.Text("web"), "UP": environ.Text("../../.."), "ABS": environ.Text("/x"), "REF": environ.Text("$values/x")},
	}
}

// What a name in the spec means, and that none leaves its repository.
func TestLocate(t *testing.T) {
	const outside = "the path leaves the repository"
	for name, tc := range map[string]struct {
		reason, name string
		repo, want   string
		says         string
	}{
		"Beside":          {"a name is beside the source", "values.yaml", "own", "apps/web/values.yaml", ""},
		"Below":           {"or below it", "./env/../env/prod.yaml", "own", "apps/web/env/prod.yaml", ""},
		"Above":           {"or above it, inside the repository", "../../common.yaml", "own", "common.yaml", ""},
		"Root":            {"with a slash it is of the root", "/common.yaml", "own", "common.yaml", ""},
		"Slashes":         {"with several, too", "///common.yaml", "own", "common.yaml", ""},
		"Itself":          {"nothing is the folder", "", "own", "apps/web", ""},
		"All":             {"a slash alone is the root", "/", "own", ".", ""},
		"Outside":         {"above the root is nothing", "../../../x", "", "", outside},
		"Outside by root": {"also from the root", "/../x", "", "", outside},
		"Up alone":        {"nor the folder above it", "../../..", "", "", outside},
		"Like it":         {"a name may begin so", "../../..x", "own", "..x", ""},
		"Other":           {"a name of another repository", "$values/env/prod.yaml", "other", "env/prod.yaml", ""},
		"Other root":      {"of its root", "$values", "other", ".", ""},
		"Other slash":     {"also with a slash behind", "$values//x", "other", "x", ""},
		"Other outside":   {"which it does not leave either", "$values/../x", "", "", outside},
		"Variable":        {"variables are filled in", "$ARGOCD_APP_NAME.yaml", "own", "apps/web/web.yaml", ""},
		"Braces":          {"in braces they end where they end", "${ARGOCD_APP_NAME}s.yaml", "own", "apps/web/webs.yaml", ""},
		"In the other":    {"also in names of others", "$values/$ARGOCD_APP_NAME/x", "other", "web/x", ""},
		"Variable up":     {"what a variable says leaves nothing either", "$UP/x", "", "", outside},
		"Variable root":   {"a variable may begin at the root", "$ABS", "own", "x", ""},
		"No reference":    {"and is no other repository", "$REF", "own", "apps/web/$values/x", ""},
		"Dollar":          {"two signs are one", "$$values/x", "own", "apps/web/$values/x", ""},
		"Unknown":         {"a repository that is not there is a variable that is empty", "$none/x", "own", "x", ""},
		"No text":         {"a name is a text", "\xff", "", "", outside},
		"Unicode":         {"letters are of any script", "äé/ελ.yaml", "own", "apps/web/äé/ελ.yaml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := located(t, record.Limits{}).Locate(tc.name)
			if tc.says != "" {
				var p *gitops.Problem
				if !errors.As(err, &p) || p.Kind != gitops.Invalid || p.Where.File != "apps/web" || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), tc.name) {
					t.Errorf("%s: %v, %v", tc.reason, file, err)
				}
				return
			}
			if err != nil || file.Name != tc.want || file.Where(3) != (gitops.Origin{RepoURL: tc.repo, Revision: "r1", File: tc.want, Line: 3}) {
				t.Errorf("%s: %q, %v", tc.reason, file.Name, err)
			}
		})
	}
}

// TestInside: nothing that is said joins to a path outside.
func TestInside(t *testing.T) {
	for _, base := range []string{".", "a", "a/b"} {
		for _, name := range []string{"", ".", "..", "../..", "../../..", "/", "//", "/..", "/.", "x", "x/", "./x", "../x", "../a/b", "a//b", "..x", "x/..", "x/../..", "x/../../..", "\x00", "\xff", "é", `..\x`, "/a/b/../../..", " "} {
			clean, ok := Inside(base, name)
			if ok && (!fs.ValidPath(clean) || strings.HasPrefix(clean, "..") && !strings.HasPrefix(clean, "..x") && clean != `..\x`) {
				t.Errorf("%q in %q is %q", name, base, clean)
			}
			if again, still := Inside(".", clean); ok && (!still || again != clean) {
				t.Errorf("%q in %q is %q, and that is %q", name, base, clean, again)
			}
		}
	}
}

func FuzzInside(f *testing.F) {
	f.Add("a/b", "../../x")
	f.Add(".", "/..//../x")
	f.Fuzz(func(t *testing.T, base, name string) {
		if clean, ok := Inside(base, name); ok && !fs.ValidPath(clean) {
			t.Errorf("%q in %q is %q", name, base, clean)
		}
	})
}

// What an environment adds to a text is bounded, and counts as what the application holds.
func TestExpandIsBounded(t *testing.T) {
	source := func(t *testing.T) *Source {
		t.Helper()
		s := located(t, record.Limits{Bytes: bounded.NewBytes(100)})
		s.Env["LONG"] = environ.Text(strings.Repeat("x", 1<<20))
		return s
	}
	for name, tc := range map[string]struct{ reason, text, want, says string }{
		"Plain":   {"what has no variable counts nothing", strings.Repeat("a", 200), strings.Repeat("a", 200), ""},
		"Filled":  {"others count as they become", "${ARGOCD_APP_NAME}-x", "web-x", ""},
		"Much":    {"one variable too often is too much at once", "$LONG$LONG", "", "fill in the build environment"},
		"Held":    {"and what all texts become together", "$LONG", "", "a text with its build environment"},
		"Nothing": {"an unknown one is empty", "[$NONE]", "[]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := source(t).Expand(tc.text)
			if got != tc.want || (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "apps/web")) {
				t.Errorf("%s: %.50q, %v", tc.reason, got, err)
			}
		})
	}
	if _, err := source(t).Locate("$LONG$LONG"); err == nil {
		t.Error("a name is filled in without a bound")
	}
}

// What cannot be read says what it is, where it is named, and what to do.
func TestMissing(t *testing.T) {
	file := File{located(t, record.Limits{}).Tree, "values.yaml"}
	elsewhere := gitops.Origin{File: "elsewhere"}
	loose := gitops.Problemf(gitops.Refused, "refused")
	for name, tc := range map[string]struct {
		reason string
		err    error
		kind   gitops.ProblemKind
		text   string
		at     string
	}{
		"Nothing":  {"it is not there", &fs.PathError{Op: "open", Path: "values.yaml", Err: fs.ErrNotExist}, gitops.NotFound, "cannot find value file values.yaml (own", "values.yaml"},
		"Wrapped":  {"whoever says so", fmt.Errorf("x: %w", fs.ErrNotExist), gitops.NotFound, "cannot find value file values.yaml (own", "values.yaml"},
		"Folder":   {"it is no file; its name is told once", &fs.PathError{Op: "read", Path: "values.yaml", Err: errors.New("is a folder, not a file")}, gitops.Invalid, "cannot read value file values.yaml: is a folder, not a file (own", "values.yaml"},
		"Other":    {"in the words of whoever read it", errors.New("odd"), gitops.Invalid, "cannot read value file values.yaml: odd (own", "values.yaml"},
		"Loose":    {"a problem that knows no place gets this one", loose, gitops.Refused, "refused (own", "values.yaml"},
		"Placed":   {"one that knows its place keeps it", gitops.Problemf(gitops.Refused, "refused").At(elsewhere), gitops.Refused, "refused (elsewhere)", "elsewhere"},
		"In words": {"one that is wrapped is told as it is", fmt.Errorf("around: %w", loose), gitops.Refused, "around: refused", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := Missing(file, "value file", "add it", tc.err)
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || p.Where.File != tc.at || !strings.HasPrefix(err.Error(), tc.text) || !errors.Is(err, tc.err) && p == loose {
				t.Errorf("%s: %v at %q", tc.reason, err, p.Where.File)
			}
		})
	}
	if loose.Where != (gitops.Origin{}) {
		t.Error("a problem that others are told of, too, is changed")
	}
	for _, over := range []error{context.Canceled, context.DeadlineExceeded, fmt.Errorf("read: %w", context.Canceled)} {
		if err := Missing(file, "value file", "", over); !errors.Is(err, over) || errors.As(err, new(*gitops.Problem)) {
			t.Errorf("the end of a render is told as a mistake in a file: %v", err)
		}
	}
}

// TestLifetime: the shortest time counts, and one that is over is the shortest.
func TestLifetime(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		told   []time.Duration
		want   time.Duration
	}{
		"Nothing":  {"what is read does not perish by itself", nil, 0},
		"One":      {"a time is kept", []time.Duration{time.Hour}, time.Hour},
		"Shorter":  {"a shorter one counts", []time.Duration{time.Hour, time.Minute}, time.Minute},
		"Longer":   {"and a longer one does not", []time.Duration{time.Minute, time.Hour}, time.Minute},
		"None":     {"no time is not all time", []time.Duration{time.Hour, 0}, 1},
		"Over":     {"nor is one that is over", []time.Duration{-time.Hour}, 1},
		"And then": {"and nothing lengthens it again", []time.Duration{0, time.Hour}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Source{}
			for _, d := range tc.told {
				s.Perishes(d)
			}
			if got := s.Lifetime(); got != tc.want {
				t.Errorf("%s: %s", tc.reason, got)
			}
		})
	}
}

// TestWarnings: those of a source that is rendered for another one are the other's, too; of each reason the first ones.
func TestWarnings(t *testing.T) {
	inner, outer := &Source{}, &Source{}
	if got := outer.Warnings(); len(got) > 0 {
		t.Errorf("who was not warned has %v", got)
	}
	inner.Warn("Odd", "a", gitops.Origin{File: "x", Line: 2})
	outer.Warn("Plain", "b", gitops.Origin{})
	outer.WarnOf(inner)
	outer.WarnAll(nil)
	got := outer.Warnings()
	if len(got) != 2 || got[0].Message != "b" || got[1].Message != "a" || got[1].Origin.Line != 2 || got[1].Reason != "Odd" {
		t.Errorf("%+v", got)
	}
	got[0].Message = "changed"
	if outer.Warnings()[0].Message != "b" {
		t.Error("who reads warnings changes them")
	}
	for range 1000 {
		inner.Warn("Odd", "a", gitops.Origin{})
	}
	if n := len(inner.Warnings()); n > 200 {
		t.Errorf("%d warnings of one reason are kept", n)
	}
}
