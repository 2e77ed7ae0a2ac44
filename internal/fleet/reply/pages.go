package reply

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// smaller is by how much less is asked for after a page that was too large.
const smaller = 8

// Pages reads a list in pages of so many objects. Objects may be so large that
// a page is more than what is read of an answer: it is asked for again with
// fewer of them, down to a single one.
func Pages[L metav1.ListInterface](ctx context.Context, size int64, read func(context.Context, metav1.ListOptions) (L, error), take func(L)) error {
	o := metav1.ListOptions{Limit: size}
	for {
		page, err := read(ctx, o)
		var large *TooLarge
		if errors.As(err, &large) && !large.All && o.Limit > 1 {
			o.Limit = max(1, o.Limit/smaller)
			continue
		}
		if err != nil {
			return err
		}
		take(page)
		if o.Continue = page.GetContinue(); o.Continue == "" {
			return nil
		}
	}
}

// allowance is what answers may have together.
type allowance struct {
	most int64
	left atomic.Int64
}

type allowanceKey struct{}

// Within returns a context whose requests have answers of so many bytes together
// at most: a list may have pages without end.
func Within(ctx context.Context, most int64) context.Context {
	a := &allowance{most: most}
	a.left.Store(most)
	return context.WithValue(ctx, allowanceKey{}, a)
}

func allowanceOf(r *http.Request) *allowance {
	a, _ := r.Context().Value(allowanceKey{}).(*allowance)
	return a
}

func (a *allowance) within(body io.ReadCloser, over *TooLarge) io.ReadCloser {
	all := *over
	all.Most, all.All = a.most, true
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
	if s.from.left.Load() < 0 {
		return 0, s.over
	}
	n, err := s.ReadCloser.Read(p)
	if s.from.left.Add(-int64(n)) < 0 {
		return n, s.over
	}
	return n, err
}
