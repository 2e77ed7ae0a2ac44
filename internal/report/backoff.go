package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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

// row is how often an object failed, and until when its pause lasts. Of what
// people wrote since, or made anew under its name, it says nothing.
type row struct {
	failures int
	due      time.Time
	written  string
}

func newBackoff() *backoff {
	return &backoff{denied: deniedPause, failures: map[types.NamespacedName]row{}}
}

// forget drops what is known of an object that is gone.
func (b *backoff) forget(name types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failures, name)
}

// next returns the pause that the class asks for; zero means none. written names
// what people wrote of the object.
func (b *backoff) next(name types.NamespacedName, written string, class Class, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if class == None || class == Terminal {
		delete(b.failures, name)
		return 0
	}
	last := b.failures[name]
	if last.written != written {
		last = row{}
	}
	if left := last.due.Sub(now); left > 0 {
		return left
	}
	pause := b.pauseOf(class).after(last.failures)
	b.failures[name] = row{last.failures + 1, now.Add(pause), written}
	return pause
}

// writtenOf names what people wrote of an object. The generation of an Application
// tells nothing: its status counts in it.
func writtenOf(obj client.Object) string {
	app, ok := obj.(*v1alpha1.Application)
	if !ok {
		return fmt.Sprintf("%s %d", obj.GetUID(), obj.GetGeneration())
	}
	spec, err := json.Marshal(&app.Spec)
	if err != nil {
		return string(app.UID)
	}
	sum := sha256.Sum256(spec)
	return string(app.UID) + string(sum[:])
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
