package stream

import (
	"net/http/httptest"
	"testing"
	"time"
)

func TestSlots(t *testing.T) {
	s := NewSlots(3, 2)
	take := func(person string, want bool) func() {
		t.Helper()
		free, ok := s.Take(person)
		if ok != want {
			t.Fatalf("%s has a place: %v, want %v", person, ok, want)
		}
		return free
	}
	first := take("ann", true)
	take("ann", true)
	take("ann", false) // she has hers
	take("ben", true)
	take("cid", false) // there are no more
	first()
	first() // frees one place, not two
	take("cid", true)
	take("ann", false)
	if len(s.of) != 3 {
		t.Errorf("it keeps %v", s.of)
	}
}

func TestWriterGivesEachWriteItsTime(t *testing.T) {
	r := &recorder{ResponseRecorder: httptest.NewRecorder()}
	w := To(r)
	for want := 1; want <= 2; want++ {
		if _, err := w.Write([]byte("a")); err != nil {
			t.Fatal(err)
		}
		if r.set != want || time.Until(r.last) > WriteTime {
			t.Errorf("after write %d the deadline was set %d times, at last to %s", want, r.set, r.last)
		}
	}
	if err := w.Flush(); err != nil || !r.Flushed || r.set != 3 {
		t.Errorf("flushed %v with %d deadlines: %v", r.Flushed, r.set, err)
	}
}

// recorder has a deadline, as a connection has.
type recorder struct {
	*httptest.ResponseRecorder

	set  int
	last time.Time
}

func (r *recorder) SetWriteDeadline(t time.Time) error {
	r.set++
	r.last = t
	return nil
}
