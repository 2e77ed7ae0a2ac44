package git

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

var agreed = func() error { return nil }

// texts writes files by their names.
func texts(all map[string]string) func(*Writer) error {
	return func(w *Writer) error {
		for name, text := range all {
			if err := w.File(name, false, int64(len(text)), strings.NewReader(text)); err != nil {
				return err
			}
		}
		return nil
	}
}

// content reads all files of a commit.
func content(t *testing.T, s *Store, commit string) map[string]string {
	t.Helper()
	snap, err := s.Snapshot(commit, gitops.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	list, err := snap.Tree.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		data, err := snap.Tree.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func write(t *testing.T, s *Store, fill func(*Writer) error) string {
	t.Helper()
	commit, err := s.Write(t.Context(), time.Unix(1, 0), "x", fill, agreed)
	if err != nil {
		t.Fatal(err)
	}
	return commit
}

// TestWrittenCommitsGoOn: a commit has what the one before had, but for what is said.
func TestWrittenCommitsGoOn(t *testing.T) {
	const odd = "q\"\\ü\n\x01 "
	s := newStore(t)
	for _, step := range []struct {
		reason string
		fill   func(*Writer) error
		want   map[string]string
	}{
		{"the first one", texts(map[string]string{"a": "1", "b": "2"}), map[string]string{"a": "1", "b": "2"}},
		{"others stay", texts(map[string]string{"b": "3"}), map[string]string{"a": "1", "b": "3"}},
		{"one goes", func(w *Writer) error { return w.Delete("a") }, map[string]string{"b": "3"}},
		{"what is not there goes, too", func(w *Writer) error { return w.Delete("nothing") }, map[string]string{"b": "3"}},
		{"all go", func(w *Writer) error { return errors.Join(w.Clear(), texts(map[string]string{"c": ""})(w)) }, map[string]string{"c": ""}},
		{"a name may hold what Git writes otherwise", texts(map[string]string{odd: "4"}), map[string]string{"c": "", odd: "4"}},
	} {
		commit := write(t, s, step.fill)
		if d := cmp.Diff(step.want, content(t, s, commit)); d != "" {
			t.Errorf("%s:\n%s", step.reason, d)
		}
		if head, err := s.Head(t.Context()); err != nil || head != commit {
			t.Errorf("%s: the head is %s, %v", step.reason, head, err)
		}
	}
}

// TestSameContentIsTheSameCommit, in every store and whatever was there before:
// applications would else be rendered again after a restart elsewhere.
func TestSameContentIsTheSameCommit(t *testing.T) {
	one, other := newStore(t), newStore(t)
	first := write(t, one, texts(map[string]string{"a": "1"}))
	if again, err := one.Write(t.Context(), time.Unix(99, 0), "later", texts(map[string]string{"a": "1"}), agreed); err != nil || again != first {
		t.Errorf("nothing was changed: got %s, %v, want %s", again, err, first)
	}
	write(t, other, texts(map[string]string{"z": "9"}))
	second := write(t, other, func(w *Writer) error { return errors.Join(w.Clear(), texts(map[string]string{"a": "1"})(w)) })
	if second != first {
		t.Errorf("another store has %s, want %s", second, first)
	}
	if !other.Has(t.Context(), second) || other.Has(t.Context(), strings.Repeat("1", sha1Digits)) {
		t.Error("a store does not know what it has")
	}
	if later, err := newStore(t).Write(t.Context(), time.Unix(2, 0), "x", texts(map[string]string{"a": "1"}), agreed); err != nil || later == first {
		t.Errorf("its time is a part of a commit: %s, %v", later, err)
	}
}

// TestCommitsThatFailAreNotKept: the one before counts until a whole one is there.
func TestCommitsThatFailAreNotKept(t *testing.T) {
	restless := errors.New("it changed meanwhile")
	for name, tc := range map[string]struct {
		reason string
		fill   func(*Writer) error
		check  func() error
		want   error
	}{
		"Short": {"a file became shorter", func(w *Writer) error { return w.File("a", false, 3, strings.NewReader("ab")) }, agreed, io.ErrUnexpectedEOF},
		"Fill":  {"a file cannot be read", func(*Writer) error { return restless }, agreed, restless},
		"Check": {"something changed after it was read", texts(map[string]string{"a": "2"}), func() error { return restless }, restless},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			before := write(t, s, texts(map[string]string{"a": "1"}))
			if _, err := s.Write(t.Context(), time.Unix(1, 0), "x", tc.fill, tc.check); !errors.Is(err, tc.want) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if head, err := s.Head(t.Context()); err != nil || head != before {
				t.Errorf("%s: the head is %s, %v", tc.reason, head, err)
			}
			write(t, s, texts(map[string]string{"a": "3"})) // and the next one is made
		})
	}
}

// TestLongerFilesAreCut: a file that grows while it is read does not run into the next one.
func TestLongerFilesAreCut(t *testing.T) {
	s := newStore(t)
	commit := write(t, s, func(w *Writer) error {
		return errors.Join(w.File("a", true, 1, strings.NewReader("1\nM 100644 inline evil\ndata 1\nx")), w.Link("b", "a"))
	})
	snap, err := s.Snapshot(commit, gitops.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if got, err := snap.Tree.ReadFile(name); err != nil || string(got) != "1" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := snap.Tree.Stat("evil"); err == nil {
		t.Error("what a file holds was read as an order")
	}
}

// TestNoHeadOfAnEmptyStore: nothing was ever written.
func TestNoHeadOfAnEmptyStore(t *testing.T) {
	if head, err := newStore(t).Head(t.Context()); err != nil || head != "" {
		t.Errorf("got %q, %v", head, err)
	}
}
