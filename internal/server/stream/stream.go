// Package stream bounds answers that go on and on: how many there are, how
// long each lasts, and how long one waits for its reader. It knows nothing of
// what they tell.
package stream

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/backpressure"
)

// Times of streams.
const (
	// Life ends each stream, so that who lost their rights is told nothing for
	// long; who wants more begins another.
	Life = 10 * time.Minute
	// Beat is when a stream that has nothing to say says so.
	Beat = 20 * time.Second
	// WriteTime is how long a reader may take for a part.
	WriteTime = 30 * time.Second
)

// leastPace is how many bytes a second a reader takes at least, while they are
// waited for.
const leastPace = 8 << 10

// Slots are the places that streams have: in all, and for one of whom each is
// counted by, such as a person.
type Slots struct {
	all  int
	each []int

	mu    sync.Mutex
	taken int
	of    []map[string]int // as each
}

// NewSlots makes places: so many in all, and for each name that is given to Take
// so many as stand in its place.
func NewSlots(all int, each ...int) *Slots {
	s := &Slots{all: all, each: each}
	for range each {
		s.of = append(s.of, map[string]int{})
	}
	return s
}

// Take takes a place that counts for each of the names, such as a person's,
// until free is called; not ok where there is none.
func (s *Slots) Take(names ...string) (free func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.all {
		return nil, false
	}
	for i, most := range s.each {
		if s.of[i][names[i]] >= most {
			return nil, false
		}
	}
	s.taken++
	for i := range s.each {
		s.of[i][names[i]]++
	}
	return sync.OnceFunc(func() { s.free(names) }), true
}

func (s *Slots) free(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	for i := range s.each {
		if s.of[i][names[i]]--; s.of[i][names[i]] == 0 {
			delete(s.of[i], names[i])
		}
	}
}

// ErrSlow ends a stream whose reader takes too little.
var ErrSlow = errors.New("the stream is read too slowly")

// Writer writes parts of a stream. A reader who does not read ends it, and so
// does one who reads so little that they are only waited for: a place is held
// by reading, and not by a byte now and then.
type Writer struct {
	to      http.ResponseWriter
	control *http.ResponseController
	now     func() time.Time
	// left is how long the reader may still be waited for: they get more of it
	// with the bytes that are written, up to mostLeft: the flush after a write is
	// what waits until they are taken.
	left time.Duration
}

// mostLeft bounds what a reader has from having been fast before.
const mostLeft = 2 * WriteTime

// To makes a writer to an answer that was granted: from here on it is bounded
// by its writer alone.
func To(w http.ResponseWriter) *Writer {
	backpressure.Lasts(w)
	to := &Writer{to: w, control: http.NewResponseController(w), now: time.Now, left: WriteTime}
	to.rest()
	return to
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (n int, err error) {
	err = w.wait(func() error { n, err = w.to.Write(p); return err })
	w.left = min(mostLeft, w.left+time.Duration(n)*time.Second/leastPace)
	return n, err
}

// Flush sends what is written.
func (w *Writer) Flush() error { return w.wait(w.control.Flush) }

// wait gives the reader their time for a part: that of one, and no more than
// what is left of it to who was slow before.
func (w *Writer) wait(send func() error) error {
	if w.left <= 0 {
		return ErrSlow
	}
	begun := w.now()
	_ = w.control.SetWriteDeadline(begun.Add(min(WriteTime, w.left))) // a recorder has none
	defer w.rest()
	err := send()
	w.left -= w.now().Sub(begun)
	return err
}

// rest leaves no deadline to a stream that has nothing to say: by HTTP/2 one
// ends the stream even while nothing is written.
func (w *Writer) rest() { _ = w.control.SetWriteDeadline(time.Time{}) }

// Answer has all that is written to it bounded as a Writer has. It is for who
// writes streams to a ResponseWriter, and its own deadlines are not set.
type Answer struct {
	http.ResponseWriter

	to *Writer
}

// AnswerTo makes one of an answer that was granted.
func AnswerTo(w http.ResponseWriter) *Answer { return &Answer{w, To(w)} }

// Write implements io.Writer.
func (a *Answer) Write(p []byte) (int, error) { return a.to.Write(p) }

// Flush implements http.Flusher. After an error the next write fails.
func (a *Answer) Flush() { _ = a.to.Flush() }

// SetWriteDeadline takes none: the writer sets its own.
func (a *Answer) SetWriteDeadline(time.Time) error { return nil }
