package argocd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

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
	// listsAtOnce is how many lists are being written at a time, of which one person
	// has listsEach: who asks for more waits for a while, and is refused then.
	listsAtOnce = 500
	listsEach   = 4
	listWait    = 20 * time.Second
	// shownKept is how many bytes of what was worked out are remembered.
	shownKept = 32 << 20
)

// shown is what is worked out of Applications for those who follow them. Each
// version is worked out once for all who want the same fields.
type shown struct {
	turns  *slots.Slots
	lists  *slots.Slots
	known  *cache.LRU[version, []byte]
	making singleflight.Group
}

// version is one of an Application with some fields, for those who may see it in
// a project.
type version struct {
	key                      view.Key
	project, version, fields string
}

func newShown() *shown {
	return &shown{
		turns: slots.Shares(workAtOnce, workEach), lists: slots.Shares(listsAtOnce, listsEach),
		known: cache.New[version, []byte](shownKept),
	}
}

// list waits for a place that a list of who asks has until it is written. End
// gives it back.
func (s *shown) list(ctx context.Context) (end func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	person, err := s.lists.Take(bounded, slots.Of(auth.Asker(ctx)))
	if err != nil && ctx.Err() == nil {
		return nil, &problem{code: exhausted, text: fmt.Sprintf("too many lists are being written, of which one person has %d at a time; ask for one after the other", listsEach), wait: streamsWait}
	}
	if err != nil {
		return nil, err
	}
	return func() { s.lists.Give(person) }, nil
}

// turn waits for the turn of who asks. End gives it back.
func (s *shown) turn(ctx context.Context) (end func(), err error) {
	person, err := s.turns.Take(ctx, slots.Of(auth.Asker(ctx)))
	if err != nil {
		return nil, err
	}
	return func() { s.turns.Give(person) }, nil
}

// text is an Application with the fields that are wanted, as JSON; nil where it is
// not there any more, or in another project than the row by which it may be seen.
func (s *server) text(ctx context.Context, r *view.Row, only *fields) ([]byte, error) {
	app, err := s.Applications.Application(ctx, r.Key())
	if err != nil || app == nil || app.Spec.GetProject() != r.Project {
		return nil, nil //nolint:nilerr // it went in between
	}
	part, err := only.of(app)
	if err != nil {
		return nil, err
	}
	return json.Marshal(part)
}

// followed is an Application as those who follow it are shown it: what another one
// was shown of this version with these fields. It is looked for in one's own turn:
// who works it out for others waits for nothing any more.
func (s *server) followed(ctx context.Context, r *view.Row, only *fields) ([]byte, error) {
	v := version{r.Key(), r.Project, s.Versions.Version(ctx, r.Key()), only.named()}
	if known, ok := s.shown.known.Get(v); ok {
		return known, nil
	}
	end, err := s.shown.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if v.version == "" {
		return s.text(ctx, r, only)
	}
	return s.made(context.WithoutCancel(ctx), &v, r, only)
}

// made is worked out once, also where who does so goes meanwhile.
func (s *server) made(ctx context.Context, v *version, r *view.Row, only *fields) ([]byte, error) {
	made, err, _ := s.shown.making.Do(v.name(), func() (any, error) {
		if known, ok := s.shown.known.Get(*v); ok { // since this one asked
			return known, nil
		}
		text, err := s.text(ctx, r, only)
		if err == nil && text != nil {
			s.shown.known.Put(*v, text, int64(len(text)+len(v.fields)))
		}
		return text, err
	})
	text, _ := made.([]byte) // a nil one is of an error
	return text, err
}

func (v *version) name() string {
	return strings.Join([]string{v.key.Namespace, v.key.Name, v.project, v.version, v.fields}, "/")
}
