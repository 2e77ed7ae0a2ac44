package fleet

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestOneFailureIsNoOutage drops one request, as a proxy does with a stream:
// nobody hears of it. Two in a row are an outage.
func TestOneFailureIsNoOutage(t *testing.T) {
	var failing atomic.Int32
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if failing.Add(-1) >= 0 {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(`{"gitVersion": "v1.36.3"}`))
	}))
	t.Cleanup(server.Close)
	clients, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	l := newLink(lastRetry)
	l.client = clients.RESTClient()
	ctx, cancel := context.WithCancel(t.Context())
	heard, done := make(chan bool, 10), make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, func(up bool, _ error) { heard <- up })
	}()
	t.Cleanup(func() { cancel(); <-done })
	next := func() bool {
		select {
		case up := <-heard:
			return up
		case <-time.After(await.Limit):
			t.Fatal("nothing was heard of the cluster")
			return false
		}
	}
	got := []bool{next()}
	failing.Store(1)
	l.kick()
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := asked.Load(); n < 3 {
			return fmt.Errorf("the cluster was asked %d times, want 3", n)
		}
		return nil
	})
	failing.Store(2)
	l.kick()
	got = append(got, next(), next())
	if want := []bool{true, false, true}; !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v: one failure is none, two are an outage, which ends", got, want)
	}
	if asked.Load() < 6 {
		t.Errorf("the cluster was asked %d times; the outage was told after the first failure", asked.Load())
	}
}
