package scenario

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// write is a request of the engine that created or deleted an object.
type write struct {
	verb        string // create or delete
	group       string
	resource    string // plural
	namespace   string
	name        string
	propagation string
	began       time.Time
	ended       time.Time
}

// recorder passes the engine's requests on to the API server and notes what
// they wrote. It is safe for concurrent use.
type recorder struct {
	url string

	mu     sync.Mutex
	writes []write
}

// record puts a recorder before an API server.
func record(t *testing.T, config *rest.Config) *recorder {
	t.Helper()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(p *httputil.ProxyRequest) { p.SetURL(target) },
		Transport:      transport,
		FlushInterval:  -1,
		ModifyResponse: r.note,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodDelete {
			req = withBody(req)
		}
		proxy.ServeHTTP(w, req.WithContext(withBegin(req.Context(), time.Now())))
	}))
	t.Cleanup(func() { embeddedtest.Shut(server) })
	r.url = server.URL
	return r
}

// withBody keeps a request's body for the note.
func withBody(req *http.Request) *http.Request {
	body, _ := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	return req.WithContext(withDeleteOptions(req.Context(), body))
}

func (r *recorder) note(response *http.Response) error {
	req := response.Request
	w, ok := target(req.URL.Path)
	if !ok || req.URL.Query().Get("dryRun") != "" || response.StatusCode >= http.StatusMultipleChoices {
		return nil
	}
	switch {
	case req.Method == http.MethodDelete:
		w.verb, w.propagation = "delete", propagation(req)
	case response.StatusCode == http.StatusCreated:
		w.verb = "create"
		if w.name == "" {
			if err := nameOf(response, &w); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	w.began, w.ended = begin(req.Context()), time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, w)
	return nil
}

// target reads a path such as /apis/apps/v1/namespaces/shop/deployments/web;
// subresources are none.
func target(path string) (w write, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		w.group, parts = parts[1], parts[3:]
	default:
		return write{}, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		w.namespace, parts = parts[1], parts[2:]
	}
	if len(parts) == 0 || len(parts) > 2 || slices.Contains([]string{"events", "leases"}, parts[0]) {
		return write{}, false
	}
	w.resource = parts[0]
	if len(parts) == 2 {
		w.name = parts[1]
	}
	return w, true
}

// nameOf reads the name of a posted object out of the answer.
func nameOf(response *http.Response, w *write) error {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	var o struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &o) == nil {
		w.name = o.Metadata.Name
	}
	return nil
}

// propagation is the policy of a deletion; foreground is not noted.
func propagation(req *http.Request) string {
	var o struct {
		Policy string `json:"propagationPolicy"`
	}
	o.Policy = req.URL.Query().Get("propagationPolicy")
	if body := deleteOptions(req.Context()); len(body) > 0 {
		_ = json.Unmarshal(body, &o)
	}
	if o.Policy == "Foreground" {
		return ""
	}
	return o.Policy
}

// since returns what was written to a story's objects from a moment on: its
// own Application is none of them.
func (r *recorder) since(s *story, from time.Time) []write {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []write
	for _, w := range r.writes {
		if w.began.Before(from) || w.resource == "applications" && w.name == s.Name {
			continue
		}
		if slices.Contains(s.Namespaces, w.namespace) || (w.namespace == "" || w.resource == "applications") && s.owns(w.name) {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b write) int { return a.began.Compare(b.began) })
	return out
}
