package reply

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pages reads a list in pages of so many objects. Objects may be so large that
// a page is more than what is read of an answer: it is asked for again with
// fewer of them, down to a single one. The pages after it grow again, so that a
// few large ones that lie beside one another do not make a long list slow.
func Pages[L metav1.ListInterface](ctx context.Context, size int64, read func(context.Context, metav1.ListOptions) (L, error), take func(L)) error {
	s := stride{most: size, now: size}
	for next := ""; ; {
		page, err := read(ctx, metav1.ListOptions{Limit: s.now, Continue: next})
		var large *TooLarge
		if errors.As(err, &large) && !large.All && s.now > 1 {
			s.shorter()
			continue
		}
		if err != nil {
			return err
		}
		take(page)
		if next = page.GetContinue(); next == "" {
			return nil
		}
		s.longer()
	}
}

const (
	smaller = 8 // by how much less is asked for after a page that was too large
	larger  = 2 // and by how much more after one that was not
	// calm is after how many pages that were not as much is tried again as was too much.
	calm = 8
)

// stride is how many objects are asked for at a time.
type stride struct {
	now, most int64
	bad       int64 // was too many last; 0: nothing was
	fitted    int   // pages since then
}

func (s *stride) shorter() {
	s.bad, s.fitted = s.now, 0
	s.now = max(1, s.now/smaller)
}

func (s *stride) longer() {
	if s.fitted++; s.fitted >= calm {
		s.bad = 0
	}
	if next := min(s.most, larger*s.now); s.bad == 0 || next < s.bad {
		s.now = next
	}
}

// allowance is what answers may have together.
type allowance struct {
	bytes, memory limit
	// look is what it takes of what all looks have; nil where it takes nothing of that.
	look *look
}

// limit is a number of bytes that is taken from.
type limit struct {
	most int64
	left atomic.Int64
}

func (l *limit) set(most int64) {
	l.most = most
	l.left.Store(most)
}

type allowanceKey struct{}

// Within returns a context whose requests have answers of so many bytes together
// at most, which take so many bytes of memory: a list may have pages without end.
// Where the context has that already, it stays as it is: one look, however many
// lists it reads, has one allowance.
func Within(ctx context.Context, most, memory int64) context.Context {
	if ctx.Value(allowanceKey{}) != nil {
		return ctx
	}
	a := &allowance{}
	a.bytes.set(most)
	a.memory.set(memory)
	return context.WithValue(ctx, allowanceKey{}, a)
}

func allowanceOf(r *http.Request) *allowance {
	a, _ := r.Context().Value(allowanceKey{}).(*allowance)
	return a
}

func (a *allowance) within(body io.ReadCloser, over *TooLarge) io.ReadCloser {
	all := *over
	all.Most, all.All = a.bytes.most, true
	return &shared{body, a, &all}
}

// shared is a body that takes from an allowance.
type shared struct {
	io.ReadCloser

	from *allowance
	over *TooLarge
}

// Read implements io.Reader.
func (s *shared) Read(p []byte) (int, error) {
	if s.from.bytes.left.Load() < 0 {
		return 0, s.over
	}
	n, err := s.ReadCloser.Read(p)
	if s.from.bytes.left.Add(-int64(n)) < 0 {
		return n, s.over
	}
	return n, err
}

// give gives back what an answer took that is refused as a whole.
func (a *allowance) give(memory int64) {
	if a != nil {
		a.memory.left.Add(memory)
		a.look.give(memory)
	}
}

// take takes memory from an allowance; there may be none.
func (a *allowance) take(memory int64, over *TooLarge) error {
	if a == nil {
		return nil
	}
	if a.memory.left.Add(-memory) >= 0 {
		if !a.look.take(memory) {
			return &Crowded{Cluster: over.Cluster, Request: over.Request}
		}
		return nil
	}
	all := *over
	all.Most, all.All, all.Memory, all.Event = a.memory.most, true, true, false
	return &all
}
