package screen

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Writer passes clean text on. Of the sequences that terminals follow, it lets
// through those that the program itself prints, and no other; what the runner of
// a job would take for a command is broken by a mark. It is safe for concurrent use.
type Writer struct {
	under io.Writer

	mu    sync.Mutex
	signs []string
	// rest is the beginning of a sign or of a character, until more of it comes.
	rest     []byte
	commands commands
}

// NewWriter makes one over an output.
func NewWriter(under io.Writer) *Writer { return &Writer{under: under} }

// Under returns the output of a writer as it is; another is returned itself.
func Under(out io.Writer) io.Writer {
	if w, ok := out.(*Writer); ok {
		return w.under
	}
	return out
}

// Allow lets sequences through from now on.
func (w *Writer) Allow(signs ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range signs {
		if s != "" && !slices.Contains(w.signs, s) {
			w.signs = append(w.signs, s)
		}
	}
}

// Write implements io.Writer. The error is that of the output.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clean := w.clean(append(w.rest, text...), false)
	if _, err := w.under.Write(clean); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Flush writes what was kept because more of it could have come.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	_, err := w.under.Write(w.clean(w.rest, true))
	return err
}

// clean keeps the end of a text back that may go on, unless it is the last.
func (w *Writer) clean(text []byte, last bool) []byte {
	out := make([]byte, 0, len(text))
	w.rest = nil
	for len(text) > 0 {
		if !last && w.unfinished(text) {
			w.rest = bytes.Clone(text)
			break
		}
		if n := w.sign(text); n > 0 {
			out, text = append(out, text[:n]...), text[n:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		if r != '\n' && r != '\t' && tells(r) {
			r = mark
		}
		out, text = utf8.AppendRune(out, w.commands.next(r)), text[n:]
	}
	return out
}

// sign is the length of the sequence that a text begins with; 0 when it begins with none.
func (w *Writer) sign(text []byte) int {
	for _, s := range w.signs {
		if bytes.HasPrefix(text, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// unfinished reports whether a text may be the beginning of more.
func (w *Writer) unfinished(text []byte) bool {
	if !utf8.FullRune(text) {
		return true
	}
	for _, s := range w.signs {
		if len(text) < len(s) && strings.HasPrefix(s, string(text)) {
			return true
		}
	}
	return false
}
