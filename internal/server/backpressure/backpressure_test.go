package backpressure

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/test/await"
)

// share is one of which each network, and each site, has so much.
func share(all, each int) origin.Share { return origin.Share{All: all, Site: each, Network: each} }

// begun is an answer that holds something from its beginning.
func begun(a *Account, who string, bytes int64) (one *answer, cut *bool) {
	cut = new(bool)
	one = a.begin(who, func() { *cut = true })
	one.take(bytes)
	return one, cut
}

// Who does not read cuts off their own answers, oldest first, and nobody else's.
func TestOneReaderHoldsAShare(t *testing.T) {
	a := New(share(100, 50), nil)
	_, other := begun(a, "ben", 40)
	_, first := begun(a, "ann", 20)
	_, second := begun(a, "ann", 20)
	third, cut := begun(a, "ann", 20)
	if !*first || *second || *cut || *other {
		t.Errorf("cut off: first %v, second %v, third %v, another's %v", *first, *second, *cut, *other)
	}
	if a.holders.Held() != 80 {
		t.Errorf("%d bytes are held", a.holders.Held())
	}
	third.end()
	if a.holders.Held() != 60 {
		t.Errorf("%d bytes are held after an end", a.holders.Held())
	}
}

// When all hold too much, those who hold the most lose their oldest.
func TestWhoHoldsTheMostIsCutOff(t *testing.T) {
	a := New(share(100, 60), nil)
	_, little := begun(a, "ann", 10)
	_, much := begun(a, "ben", 30)
	_, later := begun(a, "ben", 25)
	_, newest := begun(a, "cid", 40)
	if *little || !*much || *later || *newest {
		t.Errorf("cut off: little %v, much %v, later %v, newest %v", *little, *much, *later, *newest)
	}
	if a.holders.Held() != 75 {
		t.Errorf("%d bytes are held", a.holders.Held())
	}
}

// A stream that is read is not the one that has waited longest, however long it
// has been there.
func TestStreamsThatAreReadGoOn(t *testing.T) {
	a := New(share(100, 100), nil)
	stream, cut := begun(a, "ann", 10)
	stream.give(10)
	_, unread := begun(a, "ann", 60)
	stream.take(50)
	if *cut || !*unread {
		t.Errorf("cut off: stream %v, what is not read %v", *cut, *unread)
	}
}

// What is larger than all there is is answered alone.
func TestLargestAnswerGoesOut(t *testing.T) {
	a := New(share(100, 50), nil)
	_, small := begun(a, "ann", 10)
	one, cut := begun(a, "ben", 500)
	if !*small || *cut {
		t.Errorf("cut off: small %v, large %v", *small, *cut)
	}
	one.end()
	if a.holders.Held() != 0 {
		t.Errorf("%d bytes are held at the end", a.holders.Held())
	}
}

// Whatever comes and goes, nothing stays on the account.
func TestNothingIsLeft(t *testing.T) {
	a := New(share(100, 50), nil)
	var all []*answer
	for n := range int64(200) {
		one, _ := begun(a, string(rune('a'+n%7)), n%40)
		one.give(n % 40)
		one.take(n % 30)
		all = append(all, one)
		if a.holders.Held() > 100 {
			t.Fatalf("%d bytes are held", a.holders.Held())
		}
	}
	for _, one := range all {
		one.end()
	}
	if a.holders.Held() != 0 {
		t.Errorf("%d bytes are left", a.holders.Held())
	}
}

// wire is an answer that nobody reads until it is cut off.
type wire struct {
	*httptest.ResponseRecorder

	cut chan struct{}
}

func (w *wire) SetWriteDeadline(at time.Time) error {
	if at.Before(time.Now()) {
		close(w.cut)
	}
	return nil
}

// An answer that is not read is cut off when its reader asks for more, and the
// handler that waits for them goes on; one that streams holds what it says.
func TestUnreadAnswersAreCutOff(t *testing.T) {
	a, writing, end := New(share(request+100, request+100), nil), make(chan struct{}, 2), make(chan struct{})
	h := a.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			Lasts(w)
		}
		defer Hold(r.Context(), 60)()
		writing <- struct{}{}
		if o, _ := w.(*out); o != nil {
			if stuck, ok := o.Unwrap().(*wire); ok {
				<-stuck.cut
			}
		}
	}))
	unread := &wire{httptest.NewRecorder(), make(chan struct{})}
	go func() {
		defer close(end)
		h.ServeHTTP(unread, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	}()
	<-writing
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/stream", nil))
	<-writing
	<-end
	if a.holders.Held() != 0 {
		t.Errorf("%d bytes are left", a.holders.Held())
	}
}

// Who is cut off has their request end, by HTTP/1 as well: no deadline ends a
// handler there that waits for something else than its reader.
func TestRequestsThatAreCutOffEnd(t *testing.T) {
	const much = 1 << 20
	a, waits, ended := New(share(much+much/2, much+much/2), nil), make(chan struct{}), make(chan error, 1)
	s := httptest.NewServer(a.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		defer Hold(r.Context(), much)()
		if r.URL.Path != "/waits" {
			return
		}
		close(waits)
		select {
		case <-r.Context().Done():
		case <-time.After(await.Limit):
		}
		ended <- context.Cause(r.Context())
	})))
	defer s.Close()
	ask := func(path string) error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			return err
		}
		answer, err := s.Client().Do(r)
		if err != nil {
			return err
		}
		return answer.Body.Close()
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		if ask("/waits") == nil {
			t.Error("who is cut off has an answer")
		}
	})
	<-waits
	if err := ask("/more"); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrCut) {
		t.Errorf("the request that was cut off ended with %v", err)
	}
	asking.Wait()
}

// Where there is no account nothing is counted.
func TestHoldWithoutAnAccount(t *testing.T) { Hold(t.Context(), 1<<40)() }
