package cursor

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func newCursors(t *testing.T, key string) *Cursors {
	t.Helper()
	c, err := New([]byte(strings.Repeat(key, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What is sealed says nothing, not even by its length, and is opened by who has
// the key, for the same list.
func TestCursorsTellNothing(t *testing.T) {
	type place struct{ Revision string }
	c := newCursors(t, "k")
	lengths := map[int]bool{}
	for _, revision := range []string{"", "abc", strings.Repeat("a", 64), strings.Repeat("b", 128)} {
		text, err := c.Seal("changes", place{revision})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || revision != "" && strings.Contains(string(raw), revision) {
			t.Errorf("%q is in %q, %v", revision, raw, err)
		}
		lengths[len(text)] = true
		var got place
		if err := newCursors(t, "k").Open("changes", text, &got); err != nil || got.Revision != revision {
			t.Errorf("%q is opened as %q, %v", revision, got.Revision, err)
		}
		for what, err := range map[string]error{
			"another list": c.Open("others", text, &got), "another key": newCursors(t, "l").Open("changes", text, &got),
			"a part": c.Open("changes", text[:len(text)-4], &got), "no text": c.Open("changes", "", &got), "what says it openly": c.Open("changes", base64.RawURLEncoding.EncodeToString([]byte(`{"Revision":"abc"}`)), &got),
		} {
			if !errors.Is(err, ErrUnknown) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if len(lengths) != 1 {
		t.Errorf("the lengths %v tell of what is in it", lengths)
	}
}

// With another key what was sealed before is not opened any more.
func TestRekey(t *testing.T) {
	c := newCursors(t, "k")
	text, err := c.Seal("changes", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Rekey([]byte(strings.Repeat("l", 32))); err != nil {
		t.Fatal(err)
	}
	var got int
	if err := c.Open("changes", text, &got); !errors.Is(err, ErrUnknown) {
		t.Errorf("it is opened as %d, %v", got, err)
	}
}
