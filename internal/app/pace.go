package app

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
)

// How many looks at an Application changes of live objects cause: so many at
// once, as a sync of many waves needs them, and then no more than one in a while.
// Who may write objects can make as many changes as they like.
const (
	paceBurst = 50
	paceEvery = 250 * time.Millisecond
)

// pace spaces out the looks that changes of live objects ask for. A change
// waits, and is not lost: the look comes after it.
type pace struct {
	now func() time.Time

	mu   sync.Mutex
	apps map[types.NamespacedName]*paced
}

type paced struct {
	limit *rate.Limiter
	// due is when the look comes that was asked for last.
	due time.Time
}

func newPace() *pace { return &pace{now: time.Now, apps: map[types.NamespacedName]*paced{}} }

// pause is how long a look waits that a change asks for, in which further
// changes are gathered: at least so long, or until one that was asked for before
// comes. That one is asked for again: what wakes the Application at once may have
// taken its place in the queue, and have looked before this change.
func (p *pace) pause(name types.NamespacedName, least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, app := p.now(), p.apps[name]
	if app == nil {
		app = &paced{limit: rate.NewLimiter(rate.Every(paceEvery), paceBurst)}
		p.apps[name] = app
	}
	turn := app.limit.ReserveN(now, 1)
	wait := max(least, turn.DelayFrom(now))
	if app.due.After(now) && !app.due.After(now.Add(wait)) {
		turn.CancelAt(now)
		return app.due.Sub(now)
	}
	app.due = now.Add(wait)
	return wait
}

// forget drops an Application that is gone.
func (p *pace) forget(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.apps, name)
}
