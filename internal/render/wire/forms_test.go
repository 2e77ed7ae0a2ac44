package wire

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
)

// TestValuesAtTheirBounds come back as they were.
func TestValuesAtTheirBounds(t *testing.T) {
	w := &Writer{}
	numbers, ints := []uint64{0, 127, 128, math.MaxUint64}, []int{0, 1 << 40, 7}
	for _, n := range numbers {
		w.Uint(n)
	}
	for _, n := range ints {
		w.Int(n)
	}
	w.Int(-5)
	w.Bool(false)
	w.Blob(nil)
	w.Text("")
	w.Text("ü\x00\xff")
	w.Text("")
	w.Texts(nil)
	r := NewReader(w.Bytes(), Most)
	for _, want := range numbers {
		if got := r.Uint(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	for _, want := range append(ints, 0) { // what is negative is 0
		if got := r.Int(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if r.Bool() || len(r.Blob()) != 0 || r.Text() != "" || r.Text() != "ü\x00\xff" || r.Text() != "" || r.Texts() != nil || r.Err() != nil || r.Len() != 0 {
		t.Errorf("what is empty has come to something: %v, %d bytes are left", r.Err(), r.Len())
	}
}

// TestTextsAreWrittenOnce: an application has the same names again and again.
func TestTextsAreWrittenOnce(t *testing.T) {
	w := &Writer{}
	w.Text("a name that is long")
	first := len(w.Bytes())
	for range 100 {
		w.Text("a name that is long")
	}
	if got := len(w.Bytes()) - first; got != 100 {
		t.Errorf("a hundred times the same take %d bytes", got)
	}
}

// TestBytesThatNobodyWrote end the Reader, and what was read before stays.
func TestBytesThatNobodyWrote(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		text   []byte
		read   func(*Reader)
	}{
		"Nothing":  {"there is none", nil, func(r *Reader) { r.Uint() }},
		"CutOff":   {"a number that breaks off", []byte{0x80}, func(r *Reader) { r.Uint() }},
		"Overlong": {"a number of more than 64 bits", bytes.Repeat([]byte{0xff}, 11), func(r *Reader) { r.Uint() }},
		"Large":    {"more than anything here has", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, func(r *Reader) { r.Int() }},
		"Truth":    {"neither true nor false", []byte{2}, func(r *Reader) { r.Bool() }},
		"Blob":     {"fewer bytes than are said", []byte{5, 1, 2}, func(r *Reader) { r.Blob() }},
		"Text":     {"a text that was not there before", []byte{1}, func(r *Reader) { _ = r.Text() }},
		"Short":    {"a text that breaks off", []byte{0, 3, 'a'}, func(r *Reader) { _ = r.Text() }},
		"List":     {"a list that does", []byte{3, 0, 1, 'a', 1}, func(r *Reader) { r.Texts() }},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(tc.text, Most)
			if tc.read(r); !errors.Is(r.Err(), ErrBroken) || r.Len() != 0 {
				t.Errorf("%s: %v, %d bytes are left", tc.reason, r.Err(), r.Len())
			}
			if r.Fail(ErrLarge); !errors.Is(r.Err(), ErrBroken) {
				t.Errorf("%s: the first fault is lost: %v", tc.reason, r.Err())
			}
			if r.Uint() != 0 || r.Bool() || len(r.Blob()) != 0 || r.Texts() != nil {
				t.Errorf("%s: something is read after it", tc.reason)
			}
		})
	}
}

// TestBlobsAreNotWrittenInto: they are shared with all that was read.
func TestBlobsAreNotWrittenInto(t *testing.T) {
	w := &Writer{}
	w.Blob([]byte("ab"))
	w.Blob([]byte("cd"))
	r := NewReader(slices.Clone(w.Bytes()), Most)
	first := r.Blob()
	_ = append(first, 'x', 'x', 'x') // what is appended must lie elsewhere
	if second := r.Blob(); string(second) != "cd" {
		t.Errorf("the next one is %q", second)
	}
}
