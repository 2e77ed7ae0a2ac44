// Package wire writes and reads the few kinds of values that a kept
// rendering is made of, in a compact form without field names.
//
// Both sides agree on the order of values; the form has no version of its
// own. A text that occurs again costs one or two bytes.
package wire

import (
	"encoding/binary"
	"errors"
)

var (
	// ErrBroken says that the bytes are not what a Writer wrote.
	ErrBroken = errors.New("the kept rendering is broken")
	// ErrLarge says that more would be made of them than a Reader may make.
	ErrLarge = errors.New("the kept rendering is too large")
)

// Most is what a Reader makes of a rendering at most, in bytes: a few bytes may stand for
// a list of large items, or for a text that was written before.
const Most = 256 << 20

// perText is what a text takes besides its bytes.
const perText = 16

// Writer collects values.
type Writer struct {
	out   []byte
	known map[string]uint64
}

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.out }

// Uint writes a number.
func (w *Writer) Uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// Int writes a number that is not negative; a negative one is written as 0.
func (w *Writer) Int(n int) { w.Uint(uint64(max(n, 0))) }

// Bool writes a truth.
func (w *Writer) Bool(b bool) {
	if b {
		w.Uint(1)
		return
	}
	w.Uint(0)
}

// Blob writes bytes.
func (w *Writer) Blob(b []byte) {
	w.Int(len(b))
	w.out = append(w.out, b...)
}

// Text writes a text, or the number of the same text before.
func (w *Writer) Text(s string) {
	if n, ok := w.known[s]; ok {
		w.Uint(n)
		return
	}
	if w.known == nil {
		w.known = map[string]uint64{}
	}
	w.known[s] = uint64(len(w.known)) + 1
	w.Uint(0)
	w.Int(len(s))
	w.out = append(w.out, s...)
}

// Texts writes a list.
func (w *Writer) Texts(list []string) {
	w.Int(len(list))
	for _, s := range list {
		w.Text(s)
	}
}

// Reader reads what a Writer wrote. After the first error everything read
// is zero; Err tells it.
type Reader struct {
	in    []byte
	known []string
	left  int // that may be made still, in bytes
	err   error
}

// NewReader reads from bytes, which are shared with what Blob returns, and makes no more
// of them than so many.
func NewReader(b []byte, most int) *Reader { return &Reader{in: b, left: most} }

// Err is ErrBroken when anything could not be read, or ErrLarge.
func (r *Reader) Err() error { return r.err }

// Len is the number of bytes that are left.
func (r *Reader) Len() int { return len(r.in) }

// Fail ends what is read: what it says is none of what a Writer writes here.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.in = nil
}

// Left are the bytes that may still be made.
func (r *Reader) Left() int { return r.left }

// Take counts bytes that are made.
func (r *Reader) Take(n int) {
	if n > r.left {
		r.Fail(ErrLarge)
		return
	}
	r.left -= n
}

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	n, size := binary.Uvarint(r.in)
	if size <= 0 {
		r.Fail(ErrBroken)
		return 0
	}
	r.in = r.in[size:]
	return n
}

// Int reads a number.
func (r *Reader) Int() int {
	n := r.Uint()
	if n > 1<<40 {
		r.Fail(ErrBroken)
		return 0
	}
	return int(n)
}

// Count reads the number of items that follow, each of which has at least one byte, and
// counts what so many of a size take.
func (r *Reader) Count(size int) int { return r.CountTo(len(r.in), size) }

// CountTo is Count where there are no more than most.
func (r *Reader) CountTo(most, size int) int {
	n := r.Int()
	if n > min(most, len(r.in)) {
		r.Fail(ErrBroken)
	} else {
		r.Take(n * size)
	}
	if r.err != nil {
		return 0
	}
	return n
}

// Bool reads a truth.
func (r *Reader) Bool() bool {
	n := r.Uint()
	if n > 1 {
		r.Fail(ErrBroken)
	}
	return n == 1
}

// Blob reads bytes.
func (r *Reader) Blob() []byte {
	n := r.Count(1)
	b := r.in[:n:n]
	r.in = r.in[n:]
	return b
}

// Text reads a text.
func (r *Reader) Text() string {
	n := r.Uint()
	r.Take(perText)
	if n == 0 && r.err == nil {
		s := string(r.Blob())
		if r.err == nil {
			r.known = append(r.known, s)
		}
		return s
	}
	if r.err != nil || n > uint64(len(r.known)) {
		r.Fail(ErrBroken)
		return ""
	}
	return r.known[n-1]
}

// Texts reads a list; it is nil when empty.
func (r *Reader) Texts() []string {
	n := r.Count(perText)
	if n == 0 {
		return nil
	}
	out := make([]string, 0, n)
	for range n {
		out = append(out, r.Text())
	}
	return out
}
