// Package unread bounds the memory of answers that wait to be read. Deadlines
// bound how long each waits, and nothing else how many there are: who asks and
// does not read would have the server hold as much as it can make in that time.
// It does not know what answers say, nor who may have them.
package unread

import (
	"container/list"
	"context"
	"net/http"
	"sync"
)

// request is what one holds in bytes that is being answered, whatever its answer.
const request = 16 << 10

// headerField is what a field of a header holds besides its text, in bytes.
const headerField = 32

// Account is what all answers of a listener hold. When that is too much, the one
// that has waited longest of whoever holds the most is cut off: an answer that
// is read is gone before that. It is safe for concurrent use.
type Account struct {
	all, each int64 // bytes

	mu   sync.Mutex
	held int64
	of   map[string]*reader
}

// reader is whom answers are for.
type reader struct {
	held    int64
	answers *list.List // of *answer: first the one that has waited longest since it took something
}

// answer is one that is on its way.
type answer struct {
	account *Account
	of      *reader
	who     string
	held    int64
	cut     func()
	at      *list.Element
	// over tells that it was cut off, and counts no more.
	over bool
}

// New makes an account of so many bytes, of which one reader holds so many at most.
func New(all, each int64) *Account {
	return &Account{all: all, each: each, of: map[string]*reader{}}
}

// Wrap has the answers of a handler on the account, by who reads them, until
// they are read: what is left of one when its handler is done is waited for here.
func (a *Account) Wrap(next http.Handler, who func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := newOut(w, r)
		one := a.begin(who(r), to.cut)
		defer one.end()
		to.lasts = one.hold(request + header(r))
		next.ServeHTTP(to, r.WithContext(context.WithValue(r.Context(), answerKey{}, one)))
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

func (a *Account) begin(who string, cut func()) *answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of[who]
	if r == nil {
		r = &reader{answers: list.New()}
		a.of[who] = r
	}
	one := &answer{account: a, of: r, who: who, cut: cut}
	one.at = r.answers.PushBack(one)
	return one
}

// end has to come before the handler returns: nobody is cut off after that.
func (one *answer) end() {
	a := one.account
	a.mu.Lock()
	defer a.mu.Unlock()
	one.count(-one.held)
	one.of.answers.Remove(one.at)
	if one.of.answers.Len() == 0 {
		delete(a.of, one.who)
	}
}

func (one *answer) take(bytes int64) {
	one.account.mu.Lock()
	defer one.account.mu.Unlock()
	if one.over {
		return
	}
	one.of.answers.MoveToBack(one.at)
	one.count(bytes)
	one.account.fit(one)
}

func (one *answer) give(bytes int64) {
	one.account.mu.Lock()
	defer one.account.mu.Unlock()
	if !one.over {
		one.count(-bytes)
	}
}

func (one *answer) count(bytes int64) {
	one.held += bytes
	one.of.held += bytes
	one.account.held += bytes
}

// fit cuts answers off until there is room for one, which stays itself: what is
// larger than all of the account is answered alone.
func (a *Account) fit(one *answer) {
	for one.of.held > a.each {
		old := one.of.oldest(one)
		if old == nil {
			break
		}
		old.drop()
	}
	for a.held > a.all {
		old := a.heaviest(one)
		if old == nil {
			return
		}
		old.drop()
	}
}

// drop cuts an answer off.
func (one *answer) drop() {
	one.count(-one.held)
	one.over = true
	one.cut()
}

// oldest is the answer that has waited longest of those that hold something, but
// for one; nil for none.
func (r *reader) oldest(but *answer) *answer {
	for e := r.answers.Front(); e != nil; e = e.Next() {
		if one, _ := e.Value.(*answer); one != but && one.held > 0 {
			return one
		}
	}
	return nil
}

// heaviest is the oldest answer, but for one, of whoever holds the most; nil for none.
func (a *Account) heaviest(but *answer) *answer {
	var most int64
	var found *answer
	for _, r := range a.of {
		if r.held <= most {
			continue
		}
		if old := r.oldest(but); old != nil {
			most, found = r.held, old
		}
	}
	return found
}
