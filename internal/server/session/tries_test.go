package session

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// Who is refused is told how long to wait, and being refused uses up nothing.
func TestTriesSayWhenToComeAgain(t *testing.T) {
	tries := NewTries(rate.Every(time.Hour), 2)
	for range 2 {
		if err := tries.Take("ann"); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		err := fmt.Errorf("cannot refresh application web: %w", tries.Take("ann"))
		if wait := WaitOf(err); !errors.Is(err, ErrBusy) || wait <= 0 || wait > time.Hour {
			t.Errorf("%v, and to wait %s", err, wait)
		}
	}
	if err := tries.Take("bob"); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	if wait := WaitOf(ErrBusy); wait != someWait {
		t.Errorf("a place that others have is waited for %s", wait)
	}
}

// A name has its tries, however many other ones are tried in between.
func TestOtherNamesGiveNoTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes
		g, allowed := newGuesses(), 0
		for round := range 4 {
			for n := range names {
				_, _ = g.begin(fmt.Sprintf("2001:db8:1:%x::1", n), fmt.Sprintf("nobody-%d-%d", round, n))
			}
			for n := range 100 {
				if _, err := g.begin(fmt.Sprintf("2001:db8:2:%x::1", 100*round+n), "ann"); err == nil {
					allowed++
				}
			}
		}
		if most := freshBurst + nameBurst; allowed > most {
			t.Errorf("%d guesses of one name at once, want %d at most", allowed, most)
		}
		for _, tries := range []*Tries{g.networks, g.fresh, g.names, g.fails, g.sites} {
			if len(tries.all) > names {
				t.Errorf("%d names are remembered", len(tries.all))
			}
		}
	})
}

// A name may be a part of a header: what is remembered does not keep the rest of that.
func TestTriesKeepNothingElseOfAHeader(t *testing.T) {
	const asked, rest = 1000, 16 << 10
	tries, before := NewTries(rate.Every(time.Hour), 1), heap()
	for i := range asked {
		name, _, _ := strings.Cut(fmt.Sprintf("name-%d %s", i, strings.Repeat(" ", rest)), " ")
		if err := tries.Take(name); err != nil {
			t.Fatal(err)
		}
	}
	if kept := heap() - before; kept > asked*rest/4 {
		t.Errorf("%d bytes are kept of %d names", kept, asked)
	}
	runtime.KeepAlive(tries)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestLater(t *testing.T) {
	for wait, want := range map[time.Duration]string{0: "1", time.Millisecond: "1", 2 * time.Second: "2", 2500 * time.Millisecond: "3"} {
		h := http.Header{}
		if Later(h, wait); h.Get("Retry-After") != want {
			t.Errorf("%s is %q, want %q", wait, h.Get("Retry-After"), want)
		}
	}
}
