package report

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// The pauses before another look at an object that failed. The first doubles
// with each failure in a row up to the second.
var (
	transientPause = pause{first: time.Second, most: 3 * time.Minute}
	waitingPause   = pause{first: time.Second, most: time.Minute}
	deniedPause    = pause{first: 30 * time.Second, most: deniedTimes * 30 * time.Second}
)

// deniedTimes is how often the first pause of Denied fits into the longest.
const deniedTimes = 10

type pause struct{ first, most time.Duration }

func (p pause) after(failures int) time.Duration {
	d := p.first
	for range failures {
		d *= 2
		if d >= p.most {
			return p.most
		}
	}
	return d
}

// backoff counts failures in a row by object. A failure before the pause of
// the last one is over counts as the same: news may wake an object many times
// in a second in which its cluster does not answer. It is safe for concurrent use.
type backoff struct {
	denied pause

	mu       sync.Mutex
	failures map[types.NamespacedName]row
}

// row is how often an object failed, and until when its pause lasts.
type row struct {
	failures int
	due      time.Time
}

func newBackoff() *backoff {
	return &backoff{denied: deniedPause, failures: map[types.NamespacedName]row{}}
}

// next returns the pause that the class asks for; zero means none.
func (b *backoff) next(name types.NamespacedName, class Class, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if class == None || class == Terminal {
		delete(b.failures, name)
		return 0
	}
	last := b.failures[name]
	if left := last.due.Sub(now); left > 0 {
		return left
	}
	pause := b.pauseOf(class).after(last.failures)
	b.failures[name] = row{last.failures + 1, now.Add(pause)}
	return pause
}

func (b *backoff) pauseOf(class Class) pause {
	switch class {
	case Waiting:
		return waitingPause
	case Denied:
		return b.denied
	default:
		return transientPause
	}
}
