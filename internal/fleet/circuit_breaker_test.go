package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	v1alpha1 "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// sick stands in front of an API server and leaves requests without an answer.
type sick struct {
	server *httptest.Server
	// hangs picks the requests that get no answer.
	hangs   atomic.Pointer[func(*http.Request) bool]
	cuts    atomic.Bool // instead of hanging
	hanging atomic.Int32
	begun   atomic.Int32 // requests for objects that hung, ever: probes go past the gate, when they like
}

// front passes requests on to the control plane.
func front(t *testing.T) *httputil.ReverseProxy {
	t.Helper()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: transport, FlushInterval: -1}
}

func newSick(t *testing.T) *sick {
	t.Helper()
	s, proxy := &sick{}, front(t)
	s.hang(func(*http.Request) bool { return false })
	over := make(chan struct{})
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !(*s.hangs.Load())(r) {
			proxy.ServeHTTP(w, r)
			return
		}
		s.hanging.Add(1)
		if onlyObjects(r) {
			s.begun.Add(1)
		}
		if s.cuts.Load() {
			s.hanging.Add(-1)
			panic(http.ErrAbortHandler)
		}
		defer s.hanging.Add(-1)
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	s.server.EnableHTTP2 = true
	s.server.StartTLS()
	t.Cleanup(func() { close(over); embeddedtest.Shut(s.server) })
	return s
}

func (s *sick) hang(which func(*http.Request) bool) { s.hangs.Store(&which) }

func everything(*http.Request) bool { return true }

// onlyObjects leaves probes and discovery alone: a cluster that is half broken.
func onlyObjects(r *http.Request) bool { return strings.Contains(r.URL.Path, "/configmaps") }

func sickCluster(t *testing.T, s *sick) *Cluster {
	t.Helper()
	f, _ := newFleet(t, config)
	f.o.Timeout = time.Hour // so that nothing depends on the machine's speed
	d := gitops.Cluster{Name: "sick", Server: s.server.URL, Secret: "sick"}
	if err := f.Set(t.Context(), d, &rest.Config{Host: d.Server, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "sick"})
	if err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.Facts(ctx); return err })
	return c
}

// TestGateClosesOnSilence has a cluster that ceases to answer anything: the
// requests that wait end, no new ones are sent, and all goes on when it is back.
func TestGateClosesOnSilence(t *testing.T) {
	s := newSick(t)
	c := sickCluster(t, s)
	s.hang(func(r *http.Request) bool { return !strings.Contains(r.URL.RawQuery, "watch") })
	const callers = 40
	ended := make(chan error, callers)
	for range callers {
		go func() {
			_, err := c.List(t.Context(), configMaps, "default")
			ended <- err
		}()
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := s.begun.Load(); n < callers {
			return fmt.Errorf("%d requests hang", n)
		}
		return nil
	})
	c.link.set(errors.New("probes have no answer"), 0)
	for range callers {
		problemOf(t, <-ended, gitops.Unreachable)
	}
	before := s.begun.Load()
	_, err := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).List(t.Context(), metav1.ListOptions{})
	if p := problemOf(t, c.problem("list", err), gitops.Unreachable); !strings.Contains(p.Error(), "does not answer since 20") {
		t.Errorf("got %q", p)
	}
	if after := s.begun.Load(); after > before {
		t.Errorf("a closed gate let %d requests through", after-before)
	}
	// Besides the callers' there are the cluster's own requests, which end when they notice.
	embeddedtest.Eventually(t, func(context.Context) error {
		if st := c.State(); st.InFlight != 0 || !st.Closed || st.Reachable || st.Since.IsZero() {
			return fmt.Errorf("state is %+v", st)
		}
		return nil
	})
	s.hang(func(*http.Request) bool { return false })
	c.link.set(nil, 0)
	// A probe that was under way when the cluster was silent may close the gate once more.
	embeddedtest.Eventually(t, func(ctx context.Context) error { _, err := c.List(ctx, configMaps, "default"); return err })
}

// TestGateTrips has a cluster that answers probes and nothing else.
func TestGateTrips(t *testing.T) {
	s := newSick(t)
	c := sickCluster(t, s)
	s.cuts.Store(true)
	s.hang(onlyObjects)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		_, err := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).List(ctx, metav1.ListOptions{})
		if err == nil {
			t.Fatal("it answers")
		}
		// Five to close it, then one each time that a probe opens it again.
		if st := c.State(); st.Trips < 2 {
			return fmt.Errorf("%d trips", st.Trips)
		}
		return nil
	})
	if tries := int(s.begun.Load()); tries < manyFailures+1 {
		t.Errorf("it closed after %d requests", tries)
	}
	s.hang(func(*http.Request) bool { return false })
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		_, err := c.List(ctx, configMaps, "default")
		return err
	})
	if st := c.State(); !st.Reachable || st.Closed || !st.Next.IsZero() {
		t.Errorf("state is %+v", st)
	}
}

// TestGateBounds has more callers than a cluster may have requests.
func TestGateBounds(t *testing.T) {
	s := newSick(t)
	c := sickCluster(t, s)
	s.hang(onlyObjects)
	ctx, cancel := context.WithCancel(t.Context())
	const callers = maxInFlight + 50
	ended := make(chan struct{}, callers)
	for range callers {
		go func() {
			_, _ = c.List(ctx, configMaps, "default")
			ended <- struct{}{}
		}()
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := s.hanging.Load(); n < maxInFlight {
			return fmt.Errorf("%d requests hang", n)
		}
		return nil
	})
	if n := s.hanging.Load(); n > maxInFlight {
		t.Errorf("%d requests are in flight", n)
	}
	cancel()
	for range callers {
		<-ended
	}
	// A probe of the cluster may be under way.
	embeddedtest.Eventually(t, func(context.Context) error {
		if st := c.State(); st.InFlight != 0 {
			return fmt.Errorf("callers that left are in flight still: %+v", st)
		}
		return nil
	})
	if st := c.State(); st.Trips != 0 {
		t.Errorf("callers that left count against the cluster: %+v", st)
	}
}

// TestManyComeAndGo adds and removes 200 clusters that do not answer: nothing
// of them stays.
func TestManyComeAndGo(t *testing.T) {
	f, _ := newFleet(t, config)
	s := newSick(t)
	add := func(n int) {
		for i := range n {
			d := gitops.Cluster{Name: fmt.Sprintf("c-%d", i), Server: s.server.URL + fmt.Sprintf("/%d", i), Secret: fmt.Sprintf("c-%d", i)}
			cfg := &rest.Config{Host: d.Server, BearerToken: d.Name, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
			if err := f.Set(t.Context(), d, cfg); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(n int) {
		for i := range n {
			f.Remove(fmt.Sprintf("c-%d", i))
		}
	}
	s.hang(everything)
	add(1) // what a first one makes for all
	remove(1)
	before := settled(t, 0)
	add(200)
	if n := len(f.Members()); n != 201 {
		t.Fatalf("%d members", n)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := s.hanging.Load(); n < 200 {
			return fmt.Errorf("%d probes hang", n)
		}
		return nil
	})
	remove(200)
	if n := len(f.Members()); n != 1 {
		t.Errorf("%d members are left", n)
	}
	settled(t, before+20)
}

// settled waits until there are no more goroutines than most; 0 asks how many there are.
func settled(t *testing.T, most int) int {
	t.Helper()
	if most == 0 {
		return runtime.NumGoroutine()
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := runtime.NumGoroutine(); n > most {
			return fmt.Errorf("%d goroutines; at most %d were expected", n, most)
		}
		return nil
	})
	return runtime.NumGoroutine()
}

// still is a transport without an answer.
type still struct{}

func (still) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestGatePatience ends a request that has no answer for too long.
func TestGatePatience(t *testing.T) {
	l := newLink(lastRetry)
	g := &gate{next: still{}, link: l, slots: make(chan struct{}, 1), patience: time.Millisecond}
	for range manyFailures {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://x.test/", nil)
		_, err := g.RoundTrip(r) //nolint:bodyclose // there is none
		if err == nil || !strings.Contains(err.Error(), "no answer within 1ms") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := l.enter(); err == nil || len(g.slots) != 0 {
		t.Errorf("the gate is open, or a place is taken: %v, %d", err, len(g.slots))
	}
}

// TestTwoSecretsOfOneServer has two descriptions of one server, in two
// spellings: nobody can say which one a destination by server means.
func TestTwoSecretsOfOneServer(t *testing.T) {
	f, _ := newFleet(t, config)
	server := newSick(t).server.URL
	set := func(name, source, server string) {
		t.Helper()
		d := gitops.Cluster{Name: name, Server: server, Secret: name, Source: source}
		if err := f.Set(t.Context(), d, &rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}); err != nil {
			t.Fatal(err)
		}
	}
	at := func(d v1alpha1.ApplicationDestination, want string) {
		t.Helper()
		if c, err := f.Resolve(d); err != nil || c.Desc().Name != want {
			t.Fatalf("got %v; want cluster %s", err, want)
		}
	}
	byServer := v1alpha1.ApplicationDestination{Server: server}
	set("b", "", server)
	set("found", "vclusters", strings.ToUpper(server[:4])+server[4:]+"/")
	at(byServer, "b") // what a ClusterSource found takes nothing from anybody
	set("a", "", server+"//")
	_, err := f.Resolve(byServer)
	if p := problemOf(t, err, gitops.Invalid); !strings.Contains(p.Error(), "several cluster Secrets have the server") || strings.Contains(p.Error(), "a, b") {
		t.Errorf("got %q, which is to tell of the Secrets, and not which they are", p)
	}
	at(v1alpha1.ApplicationDestination{Name: "a"}, "a")
	at(v1alpha1.ApplicationDestination{Name: "b"}, "b")
	f.Remove("a")
	at(byServer, "b")
	f.Remove("b")
	at(byServer, "found")
}

// TestTwoSecretsOfTheHub has what may describe the hub.
func TestTwoSecretsOfTheHub(t *testing.T) {
	f, _ := newFleet(t, config)
	set := func(d gitops.Cluster, cfg *rest.Config) {
		t.Helper()
		if err := f.Set(t.Context(), d, cfg); err != nil {
			t.Fatal(err)
		}
	}
	byServer := v1alpha1.ApplicationDestination{Server: "https://KUBERNETES.default.svc:443/"}
	set(gitops.Cluster{Name: "b", Server: gitops.HubServer, Secret: "b"}, nil)
	if c, err := f.Resolve(byServer); err != nil || c != f.Hub() || c.Desc().Name != "b" {
		t.Fatalf("one Secret describes the hub: %v", err)
	}
	set(gitops.Cluster{Name: "a", Server: gitops.HubServer, Secret: "a"}, nil)
	_, err := f.Resolve(byServer)
	if p := problemOf(t, err, gitops.Invalid); !strings.Contains(p.Error(), "several cluster Secrets have the server") || strings.Contains(p.Error(), "a, b") {
		t.Errorf("got %q, which is to tell of the Secrets, and not which they are", p)
	}
	f.Remove("a")
	if c, err := f.Resolve(byServer); err != nil || c != f.Hub() || c.Desc().Name != "b" {
		t.Fatalf("the other one describes it again: %v", err)
	}
	f.Remove("b")
	set(gitops.Cluster{Name: gitops.HubName, Server: gitops.HubServer, Secret: "own"}, config)
	for _, d := range []v1alpha1.ApplicationDestination{byServer, {Name: gitops.HubName}} {
		if c, err := f.Resolve(d); err != nil || c.Desc().Secret != "own" {
			t.Errorf("a Secret with credentials of the hub counts: %v", err)
		}
	}
	set(gitops.Cluster{Name: gitops.HubName, Server: "https://elsewhere.test", Secret: "fake", Source: "vclusters"}, &rest.Config{Host: "https://elsewhere.test"})
	if c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: gitops.HubName}); err != nil || c.Desc().Secret != "own" {
		t.Errorf("nothing that was found takes the hub's name: %v", err)
	}
}
