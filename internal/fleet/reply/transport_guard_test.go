package reply

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// clientOf makes a client of a server as those of a cluster are made.
func clientOf(t *testing.T, s *httptest.Server, below string) *http.Client {
	t.Helper()
	cfg := &rest.Config{Host: s.URL + below, BearerToken: "t0ken"}
	Guard(cfg, func() string { return "east" })
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// read asks a server and reads all that it answers.
func read(t *testing.T, client *http.Client, address string) (int64, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = got.Body.Close() }()
	return io.Copy(io.Discard, got.Body)
}

// packed are so many bytes of spaces, packed.
func packed(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	page := bytes.Repeat([]byte(" "), 1<<20)
	for ; n > 0; n -= len(page) {
		if _, err := z.Write(page[:min(n, len(page))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestTooLarge has a server whose small answers unpack to large ones.
func TestTooLarge(t *testing.T) {
	const large = MostObject + 1
	bomb, status := packed(t, large), atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write(bomb)
	}))
	t.Cleanup(s.Close)
	const pods = "/api/v1/namespaces/a/pods"
	cases := map[string]struct {
		reason, path string
		status       int
		most         int64 // 0: all is read
		says         string
	}{
		"Version":   {"a version is short", "/version", 200, mostWords, "cluster east answers GET /version with more than 1 MiB"},
		"Health":    {"so is what a probe tells", "/readyz", 200, mostWords, ""},
		"Versions":  {"kinds are bounded", "/api", 200, mostKinds, ""},
		"Kinds":     {"kinds are bounded", "/apis", 200, mostKinds, "more than 16 MiB"},
		"Group":     {"so are those of a group", "/apis/apps/v1", 200, mostKinds / 2, "more than 8 MiB"},
		"Schemas":   {"schemas are bounded", "/openapi/v3/apis/apps/v1", 200, mostKinds, ""},
		"Object":    {"an object is bounded", pods + "/web", 200, MostObject, "GET " + pods + "/web with more than 32 MiB"},
		"Page":      {"a page is bounded", pods + "?limit=500", 200, MostObject, ""},
		"Event":     {"an event of a watch is bounded", pods + "?watch=true", 200, MostObject, "with an event that has more than 32 MiB"},
		"Log":       {"a log has no end", pods + "/web/log", 200, 0, ""},
		"FollowLog": {"a log has no end", pods + "/web/log?follow=true", 200, 0, ""},
		"Refusal":   {"an error is bounded", pods + "/web", 403, mostRefusal, ""},
		"NoLog":     {"an error is bounded where a log is not", pods + "/web/log", 500, mostRefusal, ""},
		"NoWatch":   {"an error is bounded where a watch is not", pods + "?watch=true", 403, mostRefusal, "with more than 4 MiB"},
		"Named":     {"an object may have the name of a probe", "/api/v1/namespaces/a/configmaps/version", 200, MostObject, ""},
	}
	for _, below := range []string{"", "/k8s/clusters/c-1"} {
		client := clientOf(t, s, below)
		for name, tc := range cases {
			t.Run(name+below, func(t *testing.T) {
				status.Store(int32(tc.status))
				n, err := read(t, client, s.URL+below+tc.path)
				var over *TooLarge
				if tc.most == 0 {
					if err != nil || n != large {
						t.Errorf("%s: read %d bytes, %v", tc.reason, n, err)
					}
					return
				}
				if !errors.As(err, &over) || n > tc.most+64<<10 || below == "" && !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: read %d bytes, %v", tc.reason, n, err)
				}
			})
		}
	}
}

// TestTooLargeIsTold has a server that says itself how much it is about to send.
func TestTooLargeIsTold(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(mostWords+1))
		_, _ = w.Write(bytes.Repeat([]byte(" "), mostWords/2))
	}))
	t.Cleanup(s.Close)
	n, err := read(t, clientOf(t, s, ""), s.URL+"/version")
	if over := (*TooLarge)(nil); n != 0 || !errors.As(err, &over) {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

// TestWatchGoesOn has more events than one may have bytes.
func TestWatchGoesOn(t *testing.T) {
	const events, size = 40, 1 << 20
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		event := []byte(`{"a":"` + strings.Repeat("x", size-9) + "\"}\n")
		for range events {
			_, _ = w.Write(event)
		}
	}))
	t.Cleanup(s.Close)
	if n, err := read(t, clientOf(t, s, ""), s.URL+"/api/v1/pods?watch=true"); err != nil || n != events*size {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

// TestRealAnswers has what large clusters serve, with room to spare.
func TestRealAnswers(t *testing.T) {
	list := apidiscovery.APIGroupDiscoveryList{}
	for g := range 500 {
		group := apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("group%d.provider.cloud.example.com", g)}}
		for _, version := range []string{"v1alpha1", "v1beta1", "v1"} {
			gvk := metav1.GroupVersionKind{Group: group.Name, Version: version, Kind: "VirtualNetworkGatewayConnection"}
			sub := []apidiscovery.APISubresourceDiscovery{
				{Subresource: "status", ResponseKind: &gvk, Verbs: []string{"get", "patch", "update"}},
				{Subresource: "scale", ResponseKind: &gvk, Verbs: []string{"get", "patch", "update"}},
			}
			group.Versions = append(group.Versions, apidiscovery.APIVersionDiscovery{Version: version, Freshness: "Current", Resources: []apidiscovery.APIResourceDiscovery{{
				Resource: "virtualnetworkgatewayconnections", ResponseKind: &gvk, Scope: "Namespaced", SingularResource: "virtualnetworkgatewayconnection",
				Verbs:      []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"},
				Categories: []string{"crossplane", "managed", "cloud"}, Subresources: sub,
			}}})
		}
		list.Items = append(list.Items, group)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if most := mostKinds / 8; len(text) > most {
		t.Errorf("discovery of 500 definitions in 3 versions has %d bytes: more than %d, and 4,000 do not fit", len(text), most)
	}
	if n, most := bounded.Measured(text, kinds.cost), kinds.memory/6; n > most {
		t.Errorf("discovery of 500 definitions in 3 versions takes %d bytes: more than %d, and 3,000 do not fit", n, most)
	}
	const taken, escaped = 3 << 20, 6 // what an API server takes of a request, and each letter as \u0000
	if MostObject < taken*escaped {
		t.Errorf("an object of %d bytes does not fit", taken*escaped)
	}
}

// TestRedirect has a server that leads to another one, for reading and writing.
func TestRedirect(t *testing.T) {
	var arrived atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	t.Cleanup(inside.Close)
	var status atomic.Int32
	var to atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if l := to.Load().(string); l != "" {
			w.Header().Set("Location", l)
		}
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(s.Close)
	client := clientOf(t, s, "")
	for location, says := range map[string]string{
		inside.URL + "/latest/meta-data?x": fmt.Sprintf("redirects PATCH /api/v1/pods to %q, and", inside.URL),
		"/elsewhere":                       "to another path of its own",
		"":                                 "to nowhere",
		"http://[":                         "to nowhere",
	} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			to.Store(location)
			status.Store(int32(code))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, s.URL+"/api/v1/pods", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.Do(r)
			if err == nil {
				_ = got.Body.Close()
			}
			if away := (*Redirect)(nil); !errors.As(err, &away) || !strings.Contains(err.Error(), says) || strings.Contains(away.Error(), "meta-data") {
				t.Errorf("%d to %q: got %v", code, location, err)
			}
		}
	}
	if n := arrived.Load(); n != 0 {
		t.Errorf("%d requests arrived where the redirects lead", n)
	}
}
