package reach

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// readersKept is of how many readers it is remembered how far they have been told;
// of one who was forgotten it is, as of now, that all may have changed.
const readersKept = 4096

// places are how far readers have been told of changes. It depends on nothing that
// they may not see: how often others change what is theirs is nobody else's matter.
type places struct {
	mu    sync.Mutex
	known *cache.LRU[reader, view.Place]
}

// reader is a digest of all that it depends on what somebody sees.
type reader [sha256.Size]byte

func readerOf(u *auth.User) reader {
	if u == nil {
		return reader{}
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", u.Person(), u.Session, u.Key, u.Groups))
}

func newPlaces() *places { return &places{known: cache.New[reader, view.Place](readersKept)} }

// Place is the latest version, with the moment of the last change that whoever a
// context is of may see.
func (r *Reach) Place(ctx context.Context) (view.Place, error) {
	visible, err := r.Visible(ctx)
	if err != nil {
		return view.Place{}, err
	}
	who := readerOf(auth.From(ctx))
	at := r.places.join(who, r.rows.Begin)
	d, known := r.rows.Since(at.Version, visible)
	if err := ctx.Err(); err != nil {
		return view.Place{}, err // what could not be asked in time was not seen
	}
	at.Version, at.Moment = d.Version, max(at.Moment, d.Moment)
	if !known {
		at = r.rows.Begin()
	}
	r.places.move(who, at)
	return at, nil
}

// join is where a reader was the last time, or where one begins.
func (p *places) join(who reader, begin func() view.Place) view.Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, known := p.known.Get(who)
	if !known {
		at = begin()
		p.known.Put(who, at, 1)
	}
	return at
}

// move remembers a place, unless another request of the same reader is further.
func (p *places) move(who reader, at view.Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.known.Get(who); !ok || known.Version < at.Version {
		p.known.Put(who, at, 1)
	}
}
