package engine

import (
	"fmt"
)

// writer takes what a template writes, and its markers.
type writer struct {
	state *state
	text  []byte
	// records are filled for the template of a file, not for included ones.
	records []record
	file    bool
}

// record says that output from an offset on comes from a line.
type record struct {
	offset, line int
	// text tells that lines of the output are lines of the template.
	text bool
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if isMarker(p) {
		return len(p), w.mark(p)
	}
	s := w.state
	if int64(len(w.text)+len(p)) > s.limits.Text {
		return 0, s.fits(int64(len(w.text) + len(p)))
	}
	if w.file {
		if s.output += int64(len(p)); s.output > s.limits.Output {
			return 0, &limitError{fmt.Sprintf("the templates write more than %d MiB", s.limits.Output>>20)}
		}
	}
	if err := s.produce(int64(len(p))); err != nil {
		return 0, err
	}
	w.text = append(w.text, p...)
	return len(p), nil
}

func (w *writer) mark(m []byte) error {
	s := w.state
	if m[atKind] != leaveMark {
		s.last = m
	}
	switch m[atKind] {
	case enterMark:
		if s.depth += weightOf(m); s.depth > maxStack {
			return &limitError{"templates call one another without end"}
		}
	case leaveMark:
		s.depth -= weightOf(m)
		return nil
	case textMark, actionMark:
		if w.file && s.recording == w {
			w.records = append(w.records, record{len(w.text), lineOf(m), m[atKind] == textMark})
		}
	}
	return s.step(1)
}
