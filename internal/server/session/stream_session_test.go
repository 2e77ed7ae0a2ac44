package session

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// endsLater does not know in its second minute what has ended, and says after
// its third that everything has.
type endsLater struct {
	*ledger

	began time.Time
}

func (e endsLater) Check(*token.Token) error {
	switch after := time.Since(e.began); {
	case after >= 3*time.Minute:
		return ErrEnded
	case after >= time.Minute && after < 2*time.Minute:
		return gitops.Problemf(gitops.Unreachable, "away")
	}
	return nil
}

// What goes on and on ends with the session, and with nothing else: not while
// nobody can say whether it has ended, and not where it is none that is attended.
func TestStreamsEndWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t)
		g.Endings = endsLater{newLedger(), time.Now()}
		text := signIn(t, g)
		lasts := func(path string) time.Duration {
			began := time.Now()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Header.Set("Authorization", "Bearer "+text)
			g.Wrap(g.Attend(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				select {
				case <-r.Context().Done():
				case <-time.After(time.Hour):
				}
			}), func(r *http.Request) bool { return r.URL.Path == "/events" }), func(_ http.ResponseWriter, _ *http.Request, err error) { t.Error(err) }).ServeHTTP(httptest.NewRecorder(), r)
			return time.Since(began)
		}
		other := make(chan time.Duration)
		go func() { other <- lasts("/other") }()
		if got := lasts("/events"); got < 3*time.Minute || got > 3*time.Minute+2*attendEvery {
			t.Errorf("a stream whose session ended after 3 minutes lasts %s", got)
		}
		if got := <-other; got != time.Hour {
			t.Errorf("what is no stream lasts %s", got)
		}
	})
}
