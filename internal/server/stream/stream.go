// Package stream bounds answers that go on and on: how many there are, how
// long each lasts, and how long one waits for its reader. It knows nothing of
// what they tell.
package stream

import (
	"net/http"
	"sync"
	"time"
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

// Slots are the places that streams have, in all and for one person.
type Slots struct {
	all, each int

	mu    sync.Mutex
	taken int
	of    map[string]int
}

// NewSlots makes places.
func NewSlots(all, each int) *Slots { return &Slots{all: all, each: each, of: map[string]int{}} }

// Take takes a place for a person until free is called; not ok where there is none.
func (s *Slots) Take(person string) (free func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.all || s.of[person] >= s.each {
		return nil, false
	}
	s.taken++
	s.of[person]++
	return sync.OnceFunc(func() { s.free(person) }), true
}

func (s *Slots) free(person string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.of[person]--; s.of[person] == 0 {
		delete(s.of, person)
	}
}

// Writer writes parts of a stream. A reader who does not read ends it.
type Writer struct {
	to      http.ResponseWriter
	control *http.ResponseController
}

// To makes a writer to an answer.
func To(w http.ResponseWriter) *Writer { return &Writer{w, http.NewResponseController(w)} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.due()
	return w.to.Write(p)
}

// Flush sends what is written.
func (w *Writer) Flush() error {
	w.due()
	return w.control.Flush()
}

func (w *Writer) due() {
	_ = w.control.SetWriteDeadline(time.Now().Add(WriteTime)) // a recorder has none
}
