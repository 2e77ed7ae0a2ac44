package app

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// front stands in front of the hub's API server, as if it were a cluster of
// its own; while it hangs, no write has an answer. Those that hang are let go
// when letGo is closed.
type front struct {
	server  *httptest.Server
	hangs   atomic.Bool
	hanging atomic.Int32
	letGo   chan struct{}
}

// toHub sends requests on to the hub's API server, as its administrator.
func toHub(t *testing.T) http.Handler {
	t.Helper()
	transport, err := rest.TransportFor(hubConfig)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(hubConfig.Host)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Del("Authorization")
	}}
}

func newFront(t *testing.T) *front {
	t.Helper()
	return newFrontOf(t, "")
}

// newFrontOf hangs at writes of paths that have a part alone.
func newFrontOf(t *testing.T, part string) *front {
	t.Helper()
	f, over, proxy := &front{letGo: make(chan struct{})}, make(chan struct{}), toHub(t)
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f.hangs.Load() || r.Method == http.MethodGet || !strings.Contains(r.URL.Path, part) {
			proxy.ServeHTTP(w, r)
			return
		}
		f.hanging.Add(1)
		defer f.hanging.Add(-1)
		select {
		case <-r.Context().Done():
		case <-over:
		case <-f.letGo:
			proxy.ServeHTTP(w, r)
		}
	}))
	f.server.EnableHTTP2 = true
	f.server.StartTLS()
	t.Cleanup(func() { close(over); embeddedtest.Shut(f.server) })
	return f
}

func (f *front) config() *rest.Config { return configOf(f.server) }

// configOf connects to a server that stands in for an API server.
func configOf(server *httptest.Server) *rest.Config {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}

// TestOneOfThreeClustersHangs has more applications on a cluster that hangs
// than there are workers: those of the other two are synced all the same.
func TestOneOfThreeClustersHangs(t *testing.T) {
	const workers, onSick = 4, 8
	cm := func(name, version string) string {
		return strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", name), `"1"`, `"`+version+`"`)
	}
	clusterOf := map[string]string{"east": "east", "west": "west"}
	for i := range onSick {
		clusterOf[fmt.Sprintf("sick-%d", i)] = "sick"
	}
	files := map[string]string{}
	for app := range clusterOf {
		files[app+"/a.yaml"] = cm(app, "1")
	}
	e := prepare(t, hubConfig, files)
	e.adjust = func(c *Config) { c.Workers, c.ClusterTimeout = workers, time.Hour }
	e.restart()
	fronts := map[string]*front{}
	for _, name := range []string{"east", "sick", "west"} {
		fronts[name] = newFront(t)
		e.describe(name, fronts[name].config())
	}
	for app, cluster := range clusterOf {
		e.app(app, app, func(a *v1alpha1.Application) { a.Spec.Destination.Name = cluster })
	}
	for app := range clusterOf {
		e.until(app, "good", good)
	}

	sick := fronts["sick"]
	sick.hangs.Store(true)
	for app, cluster := range clusterOf {
		if cluster == "sick" {
			e.write(app+"/a.yaml", cm(app, "2"))
		}
	}
	// As many as a project may hold of one cluster, and the others wait in line.
	embeddedtest.Eventually(t, func(context.Context) error {
		parked := e.shared.Parked()[sick.server.URL]
		if n := sick.hanging.Load(); n != workers/2 || parked != onSick-workers/2 {
			return fmt.Errorf("%d requests hang and %d applications wait", n, parked)
		}
		return nil
	})
	for _, app := range []string{"east", "west"} {
		e.write(app+"/a.yaml", cm(app, "2"))
		e.untilVersion(app, "2")
	}
	if n := sick.hanging.Load(); n != workers/2 {
		t.Errorf("%d requests hang", n)
	}

	// It ceases to answer at all: those that hang end, and it is told why. The
	// listener goes first, or a probe in between finds a connection that stays.
	embeddedtest.Shut(sick.server)
	e.until("sick-0", "telling that its cluster does not answer", func(app *v1alpha1.Application) bool {
		return strings.Contains(condition(app, v1alpha1.ApplicationConditionComparisonError), "cluster sick at "+sick.server.URL+" does not answer since 2")
	})
	embeddedtest.Eventually(t, func(context.Context) error {
		if n := e.shared.Parked()[sick.server.URL]; n != 0 {
			return fmt.Errorf("%d applications wait", n)
		}
		return nil
	})
}
