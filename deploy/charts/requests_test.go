package charts

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
)

// request is one as RBAC sees it: "list argoproj.io/applications".
type request struct{ verb, group, resource, namespace string }

func (r request) String() string {
	return fmt.Sprintf("%s %s/%s in %q", r.verb, r.group, r.resource, r.namespace)
}

// requests records what an account asks of an API server, and what it is refused.
type requests struct {
	http.RoundTripper

	mu      *sync.Mutex
	asked   map[request]int
	refused map[request]int
}

func newRequests() *requests {
	return &requests{mu: &sync.Mutex{}, asked: map[request]int{}, refused: map[request]int{}}
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	wrapped := *r
	wrapped.RoundTripper = next
	return &wrapped
}

// RoundTrip implements http.RoundTripper.
func (r *requests) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.RoundTripper.RoundTrip(req)
	if q, ok := parse(req); ok && err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked[q]++
		if resp.StatusCode == http.StatusForbidden {
			r.refused[q]++
		}
	}
	return resp, err
}

// parse reads the path as the API server does; discovery is not about a resource.
func parse(req *http.Request) (request, bool) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	q := request{}
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		q.group, parts = parts[1], parts[3:]
	default:
		return q, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		q.namespace, parts = parts[1], parts[2:]
	}
	q.resource = parts[0]
	if len(parts) > 2 {
		q.resource += "/" + parts[2]
	}
	q.verb = map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}[req.Method]
	if req.Method == http.MethodGet {
		q.verb = read(req, len(parts) > 1)
	}
	return q, true
}

func read(req *http.Request, named bool) string {
	switch {
	case req.URL.Query().Get("watch") == "true" || req.URL.Query().Get("watch") == "1":
		return "watch"
	case named:
		return "get"
	}
	return "list"
}

// unused returns the rights that no request needed.
func (r *requests) unused(rules []rbacv1.PolicyRule) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				if !r.was(verb, rule.APIGroups[0], resource) {
					out = append(out, fmt.Sprintf("%s %s/%s", verb, rule.APIGroups[0], resource))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func (r *requests) was(verb, group, resource string) bool {
	for q := range r.asked {
		if q.verb == verb && q.group == group && q.resource == resource {
			return true
		}
	}
	return false
}

// refusals returns what was refused, but for what the caller expects.
func (r *requests) refusals(expected func(request) bool) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for q, n := range r.refused {
		if !expected(q) {
			out = append(out, fmt.Sprintf("%s (%d times)", q, n))
		}
	}
	slices.Sort(out)
	return out
}
