package connection

import (
	"bytes"
	"errors"
	"strings"
)

// errTooMuch ends a program that prints more than is read.
var errTooMuch = errors.New("it prints more than is read of it")

// Answer keeps what a program prints, up to Most bytes. One that prints more
// finds its output closed.
type Answer struct {
	Most int

	kept    bytes.Buffer
	tooLong bool
}

// Write implements io.Writer.
func (a *Answer) Write(p []byte) (int, error) {
	if a.kept.Len()+len(p) > a.Most {
		a.tooLong = true
		return 0, errTooMuch
	}
	return a.kept.Write(p)
}

// Bytes are what was printed.
func (a *Answer) Bytes() []byte { return a.kept.Bytes() }

// TooLong reports whether there was more than is kept.
func (a *Answer) TooLong() bool { return a.tooLong }

// Words keep the end of what a program tells: what went wrong stands there.
type Words struct {
	Most int

	kept []byte
	cut  bool
}

// Write implements io.Writer.
func (w *Words) Write(p []byte) (int, error) {
	w.kept = append(w.kept, p[max(0, len(p)-w.Most):]...)
	if len(w.kept) > w.Most || len(p) > w.Most {
		w.cut = true
		w.kept = append(w.kept[:0], w.kept[len(w.kept)-w.Most:]...)
	}
	return len(p), nil
}

func (w *Words) String() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(w.kept), ""))
	if w.cut {
		return "…" + text
	}
	return text
}
