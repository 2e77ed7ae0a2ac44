package stream

import (
	"net/http"
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
	if len(s.of[0]) != 3 {
		t.Errorf("it keeps %v", s.of)
	}
}

// Who is counted by two names needs a place of both.
func TestSlotsOfTwoNames(t *testing.T) {
	s := NewSlots(10, 2, 3)
	for n, c := range []struct {
		person, cluster string
		want            bool
	}{
		{"ann", "east", true}, {"ann", "east", true}, {"ann", "west", false},
		{"ben", "east", true}, {"ben", "east", false}, {"ben", "west", true},
	} {
		if _, ok := s.Take(c.person, c.cluster); ok != c.want {
			t.Errorf("%d: %s has a place at %s: %v, want %v", n, c.person, c.cluster, ok, c.want)
		}
	}
	if s.taken != 4 || s.of[0]["ann"] != 2 || s.of[1]["east"] != 3 {
		t.Errorf("a refused stream is counted: %+v", s)
	}
}

// A reader who takes a little now and then is ended, however long the stream
// has been there; one who reads is not.
func TestWriterEndsSlowReaders(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		bytes  int           // of each part
		pause  time.Duration // of the reader, before they take it
		parts  int           // that are written of 1000
	}{
		"Slow":    {"a few bytes in almost all of the time that a part has", 10, WriteTime - time.Second, 2},
		"Pace":    {"as much as is asked for", leastPace, time.Second, 1000},
		"Fast":    {"nobody waits for them", 10, 0, 1000},
		"Falling": {"half of it, for as long as its time lasts", leastPace / 2, time.Second, 60},
	} {
		t.Run(name, func(t *testing.T) {
			parts := 0
			w := To(&recorder{ResponseRecorder: httptest.NewRecorder()})
			w.now = paused(c.pause)
			for range 1000 {
				if _, err := w.Write(make([]byte, c.bytes)); err != nil {
					break
				}
				parts++
			}
			if parts != c.parts {
				t.Errorf("%s: %d parts were written, want %d", c.reason, parts, c.parts)
			}
		})
	}
}

// A part that is written at once, and waited for when it is flushed, counts as
// one that is waited for when it is written.
func TestWriterCountsFlushes(t *testing.T) {
	w := To(&recorder{ResponseRecorder: httptest.NewRecorder()})
	now, asked := time.Now(), 0
	w.now = func() time.Time {
		if asked++; asked%4 == 0 { // after a flush
			now = now.Add(time.Second)
		}
		return now
	}
	for n := range 1000 {
		if _, err := w.Write(make([]byte, leastPace)); err != nil {
			t.Fatalf("part %d: %v", n, err)
		}
		if err := w.Flush(); err != nil {
			t.Fatalf("flush %d: %v", n, err)
		}
	}
}

// paused is a clock of a reader who takes so long for each part: it is asked
// before it and after it.
func paused(each time.Duration) func() time.Time {
	now, after := time.Now(), false
	return func() time.Time {
		if after {
			now = now.Add(each)
		}
		after = !after
		return now
	}
}

func TestWriterGivesEachWriteItsTime(t *testing.T) {
	r := &recorder{ResponseRecorder: httptest.NewRecorder()}
	w := To(r)
	for want := 1; want <= 2; want++ {
		if _, err := w.Write([]byte("a")); err != nil {
			t.Fatal(err)
		}
		if r.set != want || time.Until(r.last) > WriteTime || !r.rests {
			t.Errorf("after write %d the deadline was set %d times, at last to %s, and is gone: %v", want, r.set, r.last, r.rests)
		}
	}
	if err := w.Flush(); err != nil || !r.Flushed || r.set != 3 {
		t.Errorf("flushed %v with %d deadlines: %v", r.Flushed, r.set, err)
	}
}

// Who sets deadlines of their own leaves none behind: by HTTP/2 one would end a
// stream that has nothing to say.
func TestAnswersRestBetweenParts(t *testing.T) {
	r := &recorder{ResponseRecorder: httptest.NewRecorder()}
	a := AnswerTo(r)
	if err := http.NewResponseController(a).SetWriteDeadline(time.Now().Add(time.Second)); err != nil || !r.rests {
		t.Errorf("there is a deadline of %s: %v", r.last, err)
	}
	if _, err := a.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	a.Flush()
	if r.set != 2 || !r.rests || !r.Flushed || r.Body.String() != "a" {
		t.Errorf("%q was written with %d deadlines, of which none is left: %v", r.Body, r.set, r.rests)
	}
}

// recorder has a deadline, as a connection has.
type recorder struct {
	*httptest.ResponseRecorder

	set  int
	last time.Time
	// rests tells that there is no deadline now.
	rests bool
}

func (r *recorder) SetWriteDeadline(t time.Time) error {
	if r.rests = t.IsZero(); r.rests {
		return nil
	}
	r.set++
	r.last = t
	return nil
}
