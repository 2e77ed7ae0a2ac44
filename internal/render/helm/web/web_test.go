package web_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm/web"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/test/nobody"
)

func server(t *testing.T) (*httptest.Server, *url.URL) {
	t.Helper()
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a: 1")) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2000)) })
	mux.HandleFunc("/denied", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	mux.HandleFunc("/on", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)+"/ok", http.StatusFound)
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() { close(release); s.Close() })
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s, u
}

func TestFile(t *testing.T) {
	s, _ := server(t)
	here := source.Rule{Schemes: []string{"http"}, Hosts: []string{"127.0.0.*"}}
	cases := map[string]struct {
		reason, path string
		rule         source.Rule
		want         string
		kind         gitops.ProblemKind
	}{
		"OK":       {"a file", "/ok", here, "", 0},
		"Redirect": {"a redirect to the same host", "/on", here, "", 0},
		"Private":  {"a private address that no glob allows", "/ok", source.Rule{Schemes: []string{"http"}}, "private address", gitops.Invalid},
		"Host":     {"a host that is not allowed", "/ok", source.Rule{Schemes: []string{"http"}, Hosts: []string{"*.example.com"}}, "not among the allowed", gitops.Invalid},
		"Nobody":   {"an empty list allows none", "/ok", source.Rule{Schemes: []string{"http"}, Hosts: []string{}}, "not among the allowed", gitops.Invalid},
		"Scheme":   {"a scheme that is not allowed", "/ok", source.Rule{Schemes: []string{"https"}, Hosts: here.Hosts}, "scheme http", gitops.Invalid},
		"Away":     {"a redirect to a host that is not allowed", "/away", here, "localhost is not among", gitops.Invalid},
		"ToFile":   {"a redirect to a file", "/file", here, "scheme file", gitops.Invalid},
		"Round":    {"redirects without end", "/round", here, "redirected more than", gitops.Invalid},
		"Large":    {"a file that is too large", "/large", here, "more than 1000 bytes", gitops.Invalid},
		"Denied":   {"a server that wants credentials", "/denied", here, "answers 403", gitops.Refused},
		"Broken":   {"a server in trouble", "/broken", here, "answers 502", gitops.Unreachable},
	}
	f := web.New(web.Options{Bytes: 1000})
	t.Cleanup(f.Close)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			address := strings.Replace(s.URL, "http://", "http://user:hunter2@", 1) + tc.path + "?token=hunter2"
			text, err := f.File(t.Context(), address, tc.rule)
			if tc.want == "" {
				if err != nil || string(text) != "a: 1" {
					t.Fatalf("%s: %q, %v", tc.reason, text, err)
				}
				return
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
	if _, err := f.File(t.Context(), s.URL+"/none", here); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestFileEnds(t *testing.T) {
	s, _ := server(t)
	here := source.Rule{Schemes: []string{"http"}, Hosts: []string{"127.0.0.*"}}
	f := web.New(web.Options{Time: time.Millisecond})
	t.Cleanup(f.Close)
	if _, err := f.File(t.Context(), s.URL+"/slow", here); err == nil || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("a server that does not answer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := web.New(web.Options{}).File(ctx, s.URL+"/slow", here); !errors.Is(err, context.Canceled) {
		t.Errorf("a render that was given up: %v", err)
	}
	if _, err := web.New(web.Options{}).File(t.Context(), "http://"+nobody.Address(t)+"/ok", here); err == nil {
		t.Error("a server that is gone")
	}
}

// TestRedirectsTellNothing: an address may hold credentials, which are of its host.
func TestRedirectsTellNothing(t *testing.T) {
	var told http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told = r.Header.Clone() }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusFound)
	}))
	t.Cleanup(first.Close)
	f := web.New(web.Options{})
	t.Cleanup(f.Close)
	address := strings.Replace(first.URL, "http://", "http://user:hunter2@", 1) + "/values.yaml?token=hunter2"
	if _, err := f.File(t.Context(), address, source.Rule{Schemes: []string{"http"}, Hosts: []string{"127.0.0.1", "localhost"}}); err != nil {
		t.Fatal(err)
	}
	if told.Get("User-Agent") == "" || told.Get("Authorization") != "" || told.Get("Referer") != "" {
		t.Errorf("the other host is told %v", told)
	}
}
