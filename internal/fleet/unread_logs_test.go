package fleet

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestUnreadLogsLeaveTheCluster has as many logs open, none of them followed and
// none of them read on, as the gate lets requests through: what is synced to the
// cluster goes on meanwhile.
func TestUnreadLogsLeaveTheCluster(t *testing.T) {
	proxy, over := front(t), make(chan struct{})
	s := &sick{}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/log") {
			proxy.ServeHTTP(w, r)
			return
		}
		// Its rest comes when it is read.
		_, _ = io.WriteString(w, strings.Repeat("a line of the log\n", 100))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	s.server.EnableHTTP2 = true
	s.server.StartTLS()
	t.Cleanup(func() { close(over); embeddedtest.Shut(s.server) })
	c := sickCluster(t, s)
	typed, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	for n := range maxInFlight {
		log, err := typed.CoreV1().Pods("shop").GetLogs("web", &corev1.PodLogOptions{}).Stream(ctx)
		if err != nil {
			t.Fatalf("log %d does not open: %v", n, err)
		}
		defer func() { _ = log.Close() }()
	}
	if _, err := c.List(ctx, configMaps, "default"); err != nil {
		t.Errorf("unread logs stop what others do with the cluster: %v", err)
	}
}

// TestLasts tells what takes a place at the gate from what has none.
func TestLasts(t *testing.T) {
	for address, want := range map[string]bool{
		"https://x.test/api/v1/namespaces/shop/pods":                           false,
		"https://x.test/api/v1/namespaces/shop/pods/log":                       false,
		"https://x.test/api/v1/namespaces/shop/configmaps/log":                 false,
		"https://x.test/apis/x.test/v1/namespaces/shop/widgets/log":            false,
		"https://x.test/api/v1/namespaces/shop/pods?watch=true":                true,
		"https://x.test/api/v1/namespaces/shop/pods/web/log":                   true,
		"https://x.test/api/v1/namespaces/shop/pods/web/log?follow=true":       true,
		"https://x.test/k8s/clusters/c1/api/v1/namespaces/shop/pods/log/log":   true,
		"https://x.test/k8s/clusters/c1/api/v1/namespaces/pods/configmaps/log": false,
	} {
		if got := lasts(httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)); got != want {
			t.Errorf("%s lasts: %v, want %v", address, got, want)
		}
	}
}
