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
	deniedPause    = pause{first: 30 * time.Second, most: 5 * time.Minute}
)

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

// backoff counts failures in a row by object. It is safe for concurrent use.
type backoff struct {
	mu       sync.Mutex
	failures map[types.NamespacedName]int
}

func newBackoff() *backoff {
	return &backoff{failures: map[types.NamespacedName]int{}}
}

// next returns the pause that the class asks for; zero means none.
func (b *backoff) next(name types.NamespacedName, class Class) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if class == None || class == Terminal {
		delete(b.failures, name)
		return 0
	}
	n := b.failures[name]
	b.failures[name] = n + 1
	switch class {
	case Waiting:
		return waitingPause.after(n)
	case Denied:
		return deniedPause.after(n)
	default:
		return transientPause.after(n)
	}
}
