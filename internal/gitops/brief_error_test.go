package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestBrief(t *testing.T) {
	long := strings.Repeat("k", 3<<20)
	short := Problemf(NotFound, "cannot find it: %w", fs.ErrNotExist)
	for name, tc := range map[string]struct {
		reason string
		err    error
		begins string
	}{
		"Nothing": {"no error is none", nil, ""},
		"Plain":   {"a text alone", errors.New("plain " + long), "plain kkk"},
		"Problem": {"what went wrong", Problemf(Invalid, "cannot read %s", long).Do("correct it"), "cannot read kkk"},
		"Fix":     {"what to do", Problemf(Invalid, "cannot read it").Do("correct " + long), "cannot read it"},
		"Cause":   {"a cause whose text is repeated", Problemf(Invalid, "cannot read: %w", errors.New(long)), "cannot read: kkk"},
		"Around":  {"what stands around a Problem", fmt.Errorf("source 1: %w", Problemf(Invalid, "cannot read %s", long)), "source 1: cannot read kkk"},
		"Own":     {"what says itself what it is", saysItself(long), "kkk"},
		"List":    {"what cannot be compared", fmt.Errorf("list: %w", list{"a", long}), "list: a; kkk"},
		"Joined":  {"several that are joined", errors.Join(errors.New("one"), fs.ErrNotExist, errors.New(long)), "one"},
		"Where":   {"where it is", Problemf(Invalid, "cannot read it").At(Origin{File: long, Line: 7}), "cannot read it"},
		"Fetch":   {"what could not be fetched", Problemf(Unreachable, "cannot fetch: %w", &FetchError{Ref: SourceRef{RepoURL: "r"}, Err: errors.New(long)}), "cannot fetch: kkk"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Brief(tc.err)
			if tc.err == nil {
				if got != nil {
					t.Fatal(got)
				}
				return
			}
			if text := got.Error(); len(text) > mostError+64 || !strings.HasPrefix(text, tc.begins) || !strings.Contains(text, "…") {
				t.Errorf("%s: %d bytes: %.80q", tc.reason, len(text), text)
			}
			var before, after *Problem
			if errors.As(tc.err, &before) != errors.As(got, &after) || before != nil && before.Kind != after.Kind {
				t.Errorf("%s: it is another kind of problem: %v", tc.reason, after)
			}
			var fetch *FetchError
			if errors.As(tc.err, &fetch) && !errors.As(got, &fetch) {
				t.Errorf("%s: what could not be fetched is lost", tc.reason)
			}
			if errors.Is(tc.err, fs.ErrNotExist) && !errors.Is(got, fs.ErrNotExist) {
				t.Errorf("%s: its cause is lost", tc.reason)
			}
			if held := Held(got); held > 4*mostError {
				t.Errorf("%s: its causes hold %d bytes", tc.reason, held)
			}
		})
	}
	if got := Brief(short); got != error(short) || !errors.Is(got, fs.ErrNotExist) { //nolint:errorlint // the very same
		t.Error("an ordinary error does not stay itself")
	}
}

// TestBriefKeepsWhatItIs has long texts beside, around and below what callers branch by.
func TestBriefKeepsWhatItIs(t *testing.T) {
	long := strings.Repeat("k", 3<<20)
	var p *Problem
	var path *fs.PathError
	got := Brief(fmt.Errorf("source 1: %w", Problemf(Forbidden, "%s: %w", long, errors.Join(errors.New(long), &fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist})).
		At(Origin{File: "web/a.yaml", Line: 7}).Do("ask for it")))
	if !errors.As(got, &p) || p.Kind != Forbidden || p.Where != (Origin{File: "web/a.yaml", Line: 7}) || p.Fix != "ask for it" {
		t.Errorf("it is another problem: %.200v", p)
	}
	if !errors.As(got, &path) || path.Path != "a" || !errors.Is(got, fs.ErrNotExist) {
		t.Error("a cause is lost")
	}
	if text := got.Error(); !strings.HasPrefix(text, "source 1: kkk") || !strings.HasSuffix(text, "… (web/a.yaml:7); ask for it") {
		t.Errorf("it says %.40q … %q", text, text[max(len(text)-60, 0):])
	}
}

// TestBriefBelow has a short text over a long one, which nobody is told but all keep.
func TestBriefBelow(t *testing.T) {
	whole := &Problem{Kind: Invalid, What: "cannot read it", Err: errors.New(strings.Repeat("k", 3<<20))}
	got := Brief(whole)
	if got.Error() != "cannot read it" || Held(got) > 2*mostError {
		t.Errorf("%q holds %d bytes", got, Held(got))
	}
	if whole.Err.Error() == errors.Unwrap(got).Error() {
		t.Error("the error itself is changed")
	}
}

// saysItself is an error that says itself what it is.
type saysItself string

func (o saysItself) Error() string { return string(o) }

func (saysItself) Is(target error) bool { return target == fs.ErrNotExist }

// list is an error that cannot be compared.
type list []string

func (l list) Error() string { return strings.Join(l, "; ") }
