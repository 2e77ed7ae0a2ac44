package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestTextOfProblems(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	at := func(o Origin) *Problem { return Problemf(Invalid, "cannot read it").At(o) }
	cases := map[string]struct {
		reason  string
		problem *Problem
		want    string
	}{
		"What":     {"what went wrong", Problemf(Invalid, "cannot read %q", "a"), `cannot read "a"`},
		"Cause":    {"a cause that is repeated", Problemf(Invalid, "cannot read it: %w", fs.ErrNotExist), "cannot read it: file does not exist"},
		"Hidden":   {"one that is not is not told", &Problem{What: "cannot read it", Err: errors.New("secret")}, "cannot read it"},
		"Fix":      {"what to do", Problemf(Invalid, "cannot read it").Do("mend it"), "cannot read it; mend it"},
		"File":     {"where it is", at(Origin{File: "a/b.yaml"}), "cannot read it (a/b.yaml)"},
		"Line":     {"in which line", at(Origin{File: "a/b.yaml", Line: 7}), "cannot read it (a/b.yaml:7)"},
		"All":      {"of which revision, with what to do", at(Origin{RepoURL: "https://h/r", Revision: "v1", File: "a.yaml", Line: 1}).Do("mend it"), "cannot read it (https://h/r at v1 a.yaml:1); mend it"},
		"Password": {"an address without who signs in", at(Origin{RepoURL: "https://me:secret@h/r"}), "cannot read it (https://h/r)"},
		"Commit":   {"a commit is shortened as Git does", at(Origin{Revision: commit}), "cannot read it (at 0123456)"},
		"Branch":   {"a branch is whole, however long it is", at(Origin{Revision: "renovate/kubernetes-monorepo-and-friends"}), "cannot read it (at renovate/kubernetes-monorepo-and-friends)"},
		"Source":   {"the number of a source is no place", at(Origin{Source: 2}), "cannot read it"},
		"Nowhere":  {"a line of nothing is a line", at(Origin{Line: 3}), "cannot read it (:3)"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.problem.Error(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// The place that is known first is the most exact one: those further out add theirs later.
func TestPlaceOfAProblemStays(t *testing.T) {
	p := Problemf(Invalid, "cannot read it").At(Origin{}).At(Origin{File: "a.yaml", Line: 7}).At(Origin{RepoURL: "https://h/r", File: "b.yaml"})
	if got := p.Error(); got != "cannot read it (a.yaml:7)" {
		t.Errorf("got %q", got)
	}
}

func TestKindOfAProblem(t *testing.T) {
	p := Problemf(NotFound, "there is none: %w", fs.ErrNotExist)
	for name, tc := range map[string]struct {
		reason string
		err    error
		kinds  []ProblemKind
		want   bool
	}{
		"Itself":  {"it is of its kind", p, []ProblemKind{NotFound}, true},
		"Some":    {"or one of several", p, []ProblemKind{Invalid, NotFound}, true},
		"Other":   {"and of no other", p, []ProblemKind{Invalid, Refused}, false},
		"Around":  {"with a text around it", fmt.Errorf("source 1: %w", p), []ProblemKind{NotFound}, true},
		"Joined":  {"beside another error", errors.Join(fs.ErrExist, p), []ProblemKind{NotFound}, true},
		"Outer":   {"the outer of two decides", Problemf(Forbidden, "no: %w", p), []ProblemKind{NotFound}, false},
		"None":    {"another error is of no kind", fs.ErrNotExist, []ProblemKind{Invalid, NotFound}, false},
		"Nothing": {"nor is none", nil, []ProblemKind{Invalid}, false},
		"NoKinds": {"of no kinds is nothing", p, nil, false},
	} {
		if got := IsProblem(tc.err, tc.kinds...); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
	if !errors.Is(p, fs.ErrNotExist) {
		t.Error("its cause is lost")
	}
}

// What was joined of very many errors is kept in part, and still says what it is.
func TestBriefOfManyCauses(t *testing.T) {
	many := make([]error, 0, 1000)
	for i := range 1000 {
		many = append(many, fmt.Errorf("cannot read %d %s", i, strings.Repeat("k", 1<<10)))
	}
	got := Brief(errors.Join(append(many, fs.ErrNotExist)...))
	if text := got.Error(); len(text) > mostError+64 || !strings.HasPrefix(text, "cannot read 0 kkk") {
		t.Errorf("%d bytes: %.40q", len(text), text)
	}
	if held := Held(got); held > (mostCauses+2)*2<<10+mostError || !errors.Is(got, fs.ErrNotExist) {
		t.Errorf("its causes hold %d bytes, and what it is: %v", held, errors.Is(got, fs.ErrNotExist))
	}
	if Held(nil) != 0 {
		t.Error("no error holds something")
	}
}
