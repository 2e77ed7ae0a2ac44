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
			if text := got.Error(); len(text) > 2*mostError || !strings.HasPrefix(text, tc.begins) || !strings.Contains(text, "…") {
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
			if held := heldBy(got); held > 4*mostError {
				t.Errorf("%s: its causes hold %d bytes", tc.reason, held)
			}
		})
	}
	if Brief(short) != error(short) || !errors.Is(Brief(short), fs.ErrNotExist) {
		t.Error("an ordinary error does not stay itself")
	}
}

// heldBy is how much text an error and its causes have.
func heldBy(err error) (n int) {
	for ; err != nil; err = errors.Unwrap(err) {
		n += len(err.Error())
	}
	return n
}
