package argocd

import (
	"context"
	"encoding/json"

	"golang.org/x/sync/singleflight"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// How many work out what lists and streams show at a time, and how many of one
// person: an Application is copied, and cut to the fields that are wanted.
const (
	workAtOnce = 4
	workEach   = 1
	// chunk is how many Applications one turn of a list is for: who reads slowly
	// keeps none.
	chunk = 64
	// shownKept is how many bytes of what was worked out are remembered.
	shownKept = 32 << 20
)

// shown is what is worked out of Applications for those who follow them. Each
// version is worked out once for all who want the same fields.
type shown struct {
	turns  *slots.Slots
	known  *cache.LRU[version, []byte]
	making singleflight.Group
}

// version is one of an Application with some fields.
type version struct {
	key             view.Key
	version, fields string
}

func newShown() *shown {
	return &shown{turns: slots.Shares(workAtOnce, workEach), known: cache.New[version, []byte](shownKept)}
}

// turn waits for the turn of who asks. End gives it back.
func (s *shown) turn(ctx context.Context) (end func(), err error) {
	person, err := s.turns.Take(ctx, slots.Of(auth.From(ctx).Person()))
	if err != nil {
		return nil, err
	}
	return func() { s.turns.Give(person) }, nil
}

// text is an Application with the fields that are wanted, as JSON; nil where it is
// not there any more.
func (s *server) text(ctx context.Context, key view.Key, only *fields) ([]byte, error) {
	app, err := s.Applications.Application(ctx, key)
	if err != nil || app == nil {
		return nil, nil //nolint:nilerr // it went in between
	}
	part, err := only.of(app)
	if err != nil {
		return nil, err
	}
	return json.Marshal(part)
}

// followed is an Application as those who follow it are shown it: what another one
// was shown of this version with these fields.
func (s *server) followed(ctx context.Context, key view.Key, only *fields) ([]byte, error) {
	v := version{key, s.Versions.Version(ctx, key), only.name()}
	if v.version == "" {
		return s.inTurn(ctx, key, only)
	}
	if known, ok := s.shown.known.Get(v); ok {
		return known, nil
	}
	made, err, _ := s.shown.making.Do(v.name(), func() (any, error) {
		if known, ok := s.shown.known.Get(v); ok { // since this one asked
			return known, nil
		}
		text, err := s.inTurn(ctx, key, only)
		if err == nil && text != nil {
			s.shown.known.Put(v, text, int64(len(text)+len(v.fields)))
		}
		return text, err
	})
	if err != nil && ctx.Err() == nil {
		return s.inTurn(ctx, key, only) // who worked it out has gone perhaps
	}
	text, _ := made.([]byte) // a nil one is of an error
	return text, err
}

func (s *server) inTurn(ctx context.Context, key view.Key, only *fields) ([]byte, error) {
	end, err := s.shown.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.text(ctx, key, only)
}

func (v *version) name() string {
	return v.key.Namespace + "/" + v.key.Name + "/" + v.version + "/" + v.fields
}
