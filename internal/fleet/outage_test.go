package fleet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// host is an API server that answers while it is up, and notes when it is asked.
type host struct {
	mu    sync.Mutex
	up    bool
	asked []time.Time
}

func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, time.Now())
	if !h.up {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(`{"gitVersion": "v1.36.3"}`)), Request: r}, nil
}

func (h *host) CloseIdleConnections() {}

func (h *host) set(up bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.up = up
}

// times are when it was asked so far.
func (h *host) times() []time.Time {
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// config is a connection to it, which a Fleet takes for the same one each time.
func (h *host) config(address string) *rest.Config {
	cfg := &rest.Config{Host: address}
	cfg.Wrap(func(http.RoundTripper) http.RoundTripper { return h })
	return cfg
}

// link runs one to it until the test ends.
func (h *host) link(t *testing.T) *link {
	t.Helper()
	client, err := rawClient(&rest.Config{Host: "http://spoke.test", QPS: -1}, &http.Client{Transport: h})
	if err != nil {
		t.Fatal(err)
	}
	l := newLink(longestRetry)
	l.client = client
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { l.run(ctx, func(bool, error) {}); close(over) }()
	t.Cleanup(func() { cancel(); <-over })
	return l
}

// fall has a host go away that is asked at once, and returns how often it was
// asked before the link took it for away.
func (h *host) fall(l *link) int {
	before := len(h.times())
	h.set(false)
	l.kick()
	return before + 1 // one failure is none
}

// untilNext is how long nothing is asked.
func (l *link) untilNext() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.next)
}

// TestShortOutage has a cluster come back after a while: it is found as soon as
// it would be if clusters were never away for long.
func TestShortOutage(t *testing.T) {
	for name, tc := range map[string]struct{ lasts, within time.Duration }{
		"Second":  {time.Second, 2400 * time.Millisecond},
		"Restart": {10 * time.Second, 10 * time.Second},
		"Minute":  {time.Minute, 36 * time.Second},
		"Minutes": {4 * time.Minute, 36 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{up: true}
				l := h.link(t)
				h.fall(l)
				time.Sleep(firstRetry * 6 / 5) // until it is away
				synctest.Wait()
				time.Sleep(tc.lasts)
				h.set(true)
				back := time.Now()
				if !l.awaitUp(t.Context()) || time.Since(back) > tc.within {
					t.Errorf("it was found %s after it came back, want within %s", time.Since(back), tc.within)
				}
			})
		})
	}
}

// TestLongOutage has a cluster away for half a day, and then another one: the longer
// it is away the less it is asked, and each outage begins anew.
func TestLongOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{up: true}
		l := h.link(t)
		for range 2 {
			begin := h.fall(l)
			time.Sleep(12 * time.Hour)
			asked := h.times()[begin:]
			longer(t, asked)
			if len(asked) > 250 {
				t.Errorf("it was asked %d times in half a day", len(asked))
			}
			h.set(true)
			time.Sleep(longestRetry)
			synctest.Wait()
			if !l.isUp() || l.untilNext() > 0 {
				t.Fatalf("it was not found within %s, or is asked again in %s", longestRetry, l.untilNext())
			}
		}
	})
}

// longer checks the pauses of an outage that began at the first of some times.
func longer(t *testing.T, asked []time.Time) {
	t.Helper()
	for i, at := range asked[:len(asked)-1] {
		away, pause := at.Sub(asked[0]), asked[i+1].Sub(at)
		switch {
		case away == 0 && pause > firstRetry*6/5:
			t.Errorf("the first pause is %s", pause)
		case away < 5*time.Minute && pause > lastRetry*6/5:
			t.Errorf("after %s the pause is %s", away, pause)
		case pause > max(lastRetry, away/awayShare)*6/5 || pause > longestRetry:
			t.Errorf("after %s the pause is %s, which is too long", away, pause)
		case away > 10*time.Minute && pause < min(away/awayShare, longestRetry*5/6)*4/5:
			t.Errorf("after %s the pause is %s, which is too short", away, pause)
		}
	}
}

// TestWake asks a cluster that has been away for long, when somebody says so.
func TestWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{up: true}
		l := h.link(t)
		h.fall(l)
		time.Sleep(time.Hour)
		before := len(h.times())
		time.Sleep(l.untilNext() - time.Millisecond)
		if n := len(h.times()); n != before {
			t.Errorf("it was asked %d times before the time that is told", n-before)
		}
		time.Sleep(time.Millisecond)
		if n := len(h.times()); n != before+1 {
			t.Errorf("it was asked %d times at the time that is told", n-before)
		}
		time.Sleep(time.Second)
		l.wake()
		if n := len(h.times()); n != before+2 {
			t.Errorf("it was asked %d times when the link was woken", n-before-1)
		}
		if next := l.untilNext(); next < lastRetry {
			t.Errorf("it is asked again in %s: that somebody asked says nothing of when it comes back", next)
		}
		for range 20 {
			l.wake()
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(h.times()) - before - 2; n < 1 || n > 5 {
			t.Errorf("it was asked %d times in two seconds", n)
		}
		h.set(true)
		time.Sleep(firstRetry)
		l.wake()
		before = len(h.times())
		l.wake()
		if n := len(h.times()); n != before || !l.isUp() {
			t.Errorf("it is up: %t, and was asked %d times when it was woken", l.isUp(), n-before)
		}
	})
}

// TestManyAreNotAskedInStep has many clusters go away at a time.
func TestManyAreNotAskedInStep(t *testing.T) {
	const clusters = 10_000
	seconds := map[time.Duration]int{}
	for range clusters {
		l := newLink(longestRetry)
		l.probed, l.since = true, time.Now().Add(-time.Hour)
		seconds[l.pause(lastRetry).Truncate(time.Second)]++
	}
	for at, n := range seconds {
		if at < 200*time.Second || at > longestRetry || n > clusters/50 {
			t.Errorf("%d of %d are asked after %s", n, clusters, at)
		}
	}
}

// TestChangedSecretAsksAtOnce changes the Secret of a cluster that has been away
// for long.
func TestChangedSecretAsksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub, spoke := &host{}, &host{}
		f, err := New(Options{
			Hub: hub.config("http://hub.test"), Namespace: "argocd", Convert: func(string, *unstructured.Unstructured) *gitops.Live { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Close)
		d, token := gitops.Cluster{Name: "spoke", Server: "http://spoke.test", Secret: "spoke"}, ""
		set := func(reason string, asked int) {
			t.Helper()
			before := len(spoke.times())
			cfg := spoke.config(d.Server)
			cfg.BearerToken = token
			if err := f.Set(t.Context(), d, cfg); err != nil {
				t.Fatal(err)
			}
			if n := len(spoke.times()) - before; n != asked {
				t.Errorf("%s: it was asked %d times, want %d", reason, n, asked)
			}
		}
		rest := func() {
			t.Helper()
			synctest.Wait()
			time.Sleep(f.Members()[1].link.untilNext() + time.Second)
		}
		set("a new cluster is asked", 1)
		time.Sleep(time.Hour)
		rest()
		set("nothing has changed", 0)
		d.Labels = map[string]string{"team": "web"}
		set("a label may be all that somebody changes who has repaired it", 1)
		rest()
		token = "renewed"
		set("a new token is tried", 1)

		if err := f.Members()[1].State().Err; err == nil || !strings.Contains(err.Error(), "it is tried again within 5m0s") {
			t.Errorf("what is told: %v", err)
		}
		asked := hub.times()
		for i := len(asked) - 10; i < len(asked); i++ {
			if pause := asked[i].Sub(asked[i-1]); pause > lastRetry {
				t.Errorf("the hub is asked after %s", pause)
			}
		}
	})
}
