package trail

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// How many bytes of changes somebody has listed in full: at once, and a second.
// What people and pipelines do is far within; beyond it an entry has the digest of
// its changes, and is as small as any other.
const (
	detailsBurst  = 2 << 20
	detailsSecond = 1 << 10
)

// details bounds what each person adds of what they write: who, what and when
// somebody did is told in any case.
type details struct {
	mu  sync.Mutex
	now func() time.Time
	all map[string]*rate.Limiter
}

func newDetails() *details { return &details{now: time.Now, all: map[string]*rate.Limiter{}} }

// of returns an entry of somebody with as much of its changes as they may add.
func (d *details) of(u *auth.User, e audit.Entry) audit.Entry {
	if len(e.Changes) == 0 || d.take(u.Person(), e.Details()) {
		return e
	}
	condensed, err := e.Condensed()
	if err != nil {
		return e // texts always can be encoded
	}
	return condensed
}

func (d *details) take(person string, size int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	limit := d.all[person]
	if limit == nil {
		limit = d.added(person, now)
	}
	return limit.AllowN(now, size)
}

// added takes somebody in. Where there are too many, those who have been quiet are
// forgotten, which makes no difference, and else further ones are one together.
func (d *details) added(person string, now time.Time) *rate.Limiter {
	if len(d.all) >= senders {
		for name, limit := range d.all {
			if limit.TokensAt(now) >= detailsBurst {
				delete(d.all, name)
			}
		}
	}
	if len(d.all) >= senders {
		person = others
	}
	if limit := d.all[person]; limit != nil {
		return limit
	}
	limit := rate.NewLimiter(detailsSecond, detailsBurst)
	d.all[person] = limit
	return limit
}
