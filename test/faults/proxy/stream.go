package proxy

import (
	"bufio"
	"context"
	"io"
	"time"
)

// gone is the event that tells a watcher to list again.
const gone = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
	`"message":"too old resource version: spoiled on purpose","reason":"Expired","code":410}}` + "\n"

// stream is the body of a watch that goes wrong after a few events.
type stream struct {
	io.Closer

	lines *bufio.Reader
	d     decision
	after int // events that pass
	left  []byte
	ended bool
}

func newStream(body io.ReadCloser, d decision) *stream {
	return &stream{Closer: body, lines: bufio.NewReader(body), d: d, after: int(d.detail % 12)}
}

// Read passes whole events on until the fault is due.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.left) > 0 {
		n := copy(p, s.left)
		s.left = s.left[n:]
		return n, nil
	}
	if s.ended {
		return 0, s.end()
	}
	line, err := s.lines.ReadBytes('\n')
	if err != nil {
		return copy(p, line), err
	}
	s.left = s.next(line)
	return s.Read(p)
}

// next is what becomes of an event.
func (s *stream) next(line []byte) []byte {
	if s.after > 0 {
		s.after--
		return line
	}
	select {
	case <-s.d.quiet: // too late for a fault
		return line
	default:
	}
	s.ended = true
	switch s.d.fault {
	case WatchCut:
		return line[:len(line)/2]
	case WatchGone:
		return []byte(gone)
	case WatchStill:
		wait(context.Background(), s.d.quiet, time.Duration(500+s.d.detail%2500)*time.Millisecond)
	default:
	}
	return nil
}

func (s *stream) end() error {
	if s.d.fault == WatchCut || s.d.fault == WatchStill {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}
