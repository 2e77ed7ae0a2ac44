package object

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
)

// TestRedirectsAreNotFollowed has a cluster that leads elsewhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var arrived atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	t.Cleanup(elsewhere.Close)
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(cluster.Close)
	client, err := Open(&rest.Config{Host: cluster.URL, BearerToken: "t0ken"})
	if err != nil {
		t.Fatal(err)
	}
	_, placed := client.Applications(t.Context(), "argocd")
	_, kinds := client.discovery.ServerResourcesForGroupVersion("v1")
	for _, err := range []error{placed, kinds} {
		if err == nil || !strings.Contains(err.Error(), "that is not followed") {
			t.Errorf("got %v", err)
		}
	}
	if n := arrived.Load(); n != 0 {
		t.Errorf("%d requests arrived where the redirects lead", n)
	}
}
