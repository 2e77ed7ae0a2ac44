package wire

import (
	"errors"
	"strings"
	"testing"
)

// TestWhatIsRead is what was written.
func TestWhatIsRead(t *testing.T) {
	w := &Writer{}
	w.Texts([]string{"a", "b", "a"})
	w.Int(7)
	w.Bool(true)
	w.Blob([]byte("c"))
	r := NewReader(w.Bytes(), Most)
	if got := strings.Join(r.Texts(), ""); got != "aba" || r.Int() != 7 || !r.Bool() || string(r.Blob()) != "c" || r.Err() != nil || r.Len() > 0 {
		t.Errorf("got %q, %v, and %d bytes are left", got, r.Err(), r.Len())
	}
}

// TestReaderMakesNoMore: a few bytes that stand for much end the Reader before it is made.
func TestReaderMakesNoMore(t *testing.T) {
	again := &Writer{}
	again.Int(1 << 20)
	for range 1 << 20 {
		again.Text("a long text that is written once") // a byte each
	}
	long := &Writer{}
	long.Text(strings.Repeat("x", 1<<20))
	many := &Writer{}
	many.Int(1 << 20)
	many.out = append(many.out, make([]byte, 1<<20)...)
	const most = 1 << 20
	for _, tc := range map[string]struct {
		reason string
		text   []byte
		read   func(*Reader)
		want   error
	}{
		"Again":  {"a text that is there again takes its place in a list", again.Bytes(), func(r *Reader) { r.Texts() }, ErrLarge},
		"Long":   {"a text", long.Bytes(), func(r *Reader) { _ = r.Text() }, ErrLarge},
		"Large":  {"items that are larger than what they are made of", many.Bytes(), func(r *Reader) { r.Count(64) }, ErrLarge},
		"Many":   {"more items than there may be", many.Bytes(), func(r *Reader) { r.CountTo(1000, 1) }, ErrBroken},
		"Absent": {"more items than there are bytes", []byte{100, 0}, func(r *Reader) { r.Count(1) }, ErrBroken},
		"Others": {"what others make of it", nil, func(r *Reader) { r.Take(most + 1) }, ErrLarge},
	} {
		r := NewReader(tc.text, most)
		if tc.read(r); !errors.Is(r.Err(), tc.want) {
			t.Errorf("%s: %v, want %v", tc.reason, r.Err(), tc.want)
		}
		if n := r.Count(1); n != 0 || r.Text() != "" || !errors.Is(r.Err(), tc.want) {
			t.Errorf("%s: after that there are %d items, and %v", tc.reason, n, r.Err())
		}
	}
}
