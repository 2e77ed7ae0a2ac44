// Package backpressure bounds the memory of answers that wait to be read. Deadlines
// bound how long each waits, and nothing else how many there are: who asks and
// does not read would have the server hold as much as it can make in that time.
// It does not know what answers say, nor who may have them.
package backpressure

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

// request is what one holds in bytes that is being answered, whatever its answer.
const request = 16 << 10

// headerField is what a field of a header holds besides its text, in bytes.
const headerField = 32

// ErrCut is why the context of a request has ended whose answer was cut off.
var ErrCut = errors.New("the answer was cut off: it waited longest to be read, where too much waits")

// Account is what all answers of a listener hold. When that is too much, the one
// that has waited longest of whoever holds the most is cut off: an answer that
// is read is gone before that. It is safe for concurrent use.
type Account struct {
	mu      sync.Mutex
	holders *origin.Holders
}

// answer is one that is on its way.
type answer struct {
	account *Account
	held    *origin.Holding
	// over tells that it was cut off, and counts no more.
	over bool
}

// New makes an account of so many bytes as a share says. Known may be nil.
func New(share origin.Share, known *origin.Known) *Account {
	return &Account{holders: origin.NewHolders(share, known)}
}

// Wrap has the answers of a handler on the account, by where they are read, until
// they are: what is left of one when its handler is done is waited for here. Who
// is cut off has their request end as well: by HTTP/1 no deadline ends a handler
// that waits for something else than its reader.
func (a *Account) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithCancelCause(r.Context())
		defer end(nil)
		to := newOut(w, r)
		one := a.begin(r.RemoteAddr, func() { end(ErrCut); to.cut() })
		defer one.end()
		to.lasts = one.hold(request + header(r))
		next.ServeHTTP(to, r.WithContext(context.WithValue(ctx, answerKey{}, one)))
		to.finish()
	})
}

// header is about what the header of a request takes, in bytes.
func header(r *http.Request) (bytes int64) {
	bytes = int64(len(r.RequestURI) + len(r.Host))
	for name, values := range r.Header {
		for _, v := range values {
			bytes += int64(headerField + len(name) + len(v))
		}
	}
	return bytes
}

type answerKey struct{}

// Hold notes that the answer to the request of a context holds so many bytes
// more, until release is called. Without an account it notes nothing.
func Hold(ctx context.Context, bytes int64) (release func()) {
	one, ok := ctx.Value(answerKey{}).(*answer)
	if !ok {
		return func() {}
	}
	return one.hold(bytes)
}

func (one *answer) hold(bytes int64) (release func()) {
	one.take(bytes)
	return sync.OnceFunc(func() { one.give(bytes) })
}

func (a *Account) begin(from string, cut func()) *answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := &answer{account: a}
	one.held = a.holders.Join(from, func() { one.over = true; cut() })
	return one
}

// end has to come before the handler returns: nobody is cut off after that.
func (one *answer) end() {
	one.account.mu.Lock()
	defer one.account.mu.Unlock()
	one.held.Leave()
}

// take cuts answers off until there is room for one, which stays itself: what is
// larger than all of the account is answered alone.
func (one *answer) take(bytes int64) {
	one.account.mu.Lock()
	defer one.account.mu.Unlock()
	if one.over {
		return
	}
	one.held.Take(bytes)
	for {
		old, fits := one.account.holders.Room(one.held)
		if fits || old == nil {
			return
		}
		old.Drop()
	}
}

func (one *answer) give(bytes int64) {
	one.account.mu.Lock()
	defer one.account.mu.Unlock()
	if !one.over {
		one.held.Give(bytes)
	}
}
