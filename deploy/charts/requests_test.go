package charts_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
)

// request is one as RBAC sees it: "list argoproj.io/applications". A list or
// watch of one object by its name has that name.
type request struct{ verb, group, resource, namespace, name string }

func (r request) String() string {
	return fmt.Sprintf("%s in %q", r.right(), r.namespace)
}

// right is what has to be granted: "get /secrets argocd-secret".
func (r request) right() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s/%s %s", r.verb, r.group, r.resource, r.name))
}

// within tells whether a rule is about what is asked, whatever the name.
func (r request) within(rule rbacv1.PolicyRule) bool {
	return slices.Contains(rule.Verbs, r.verb) && slices.Contains(rule.APIGroups, r.group) && slices.Contains(rule.Resources, r.resource)
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

// RoundTrip implements http.RoundTripper. What is asked is counted first: others
// may see what came of it before the answer is here.
func (r *requests) RoundTrip(req *http.Request) (*http.Response, error) {
	q, ok := parse(req)
	if ok {
		r.count(r.asked, q)
	}
	resp, err := r.RoundTripper.RoundTrip(req)
	if ok && err == nil && resp.StatusCode == http.StatusForbidden {
		r.count(r.refused, q)
	}
	return resp, err
}

func (r *requests) count(of map[request]int, q request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of[q]++
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
	if len(parts) > 1 {
		q.name = parts[1]
	}
	if len(parts) > 2 {
		q.resource += "/" + parts[2]
	}
	if name, ok := strings.CutPrefix(req.URL.Query().Get("fieldSelector"), "metadata.name="); ok {
		q.name = name
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

// in returns what was asked for in a namespace.
func (r *requests) in(namespace string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for q := range r.asked {
		if q.namespace == namespace {
			out = append(out, q.right())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unused returns the rights that no request needed: of a rule with names, each
// name; of one without, what no rule with the name grants already.
func (r *requests) unused(rules []rbacv1.PolicyRule) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, right := range rightsOf(rules) {
		if !r.was(right, rules) {
			out = append(out, right.right())
		}
	}
	slices.Sort(out)
	return out
}

// rightsOf are all that the rules grant, one by one.
func rightsOf(rules []rbacv1.PolicyRule) []request {
	var out []request
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range names {
						out = append(out, request{verb: verb, group: group, resource: resource, name: name})
					}
				}
			}
		}
	}
	return out
}

func (r *requests) was(right request, rules []rbacv1.PolicyRule) bool {
	for q := range r.asked {
		if q.verb != right.verb || q.group != right.group || q.resource != right.resource {
			continue
		}
		if q.name == right.name || right.name == "" && !granted(q, rules) {
			return true
		}
	}
	return false
}

// granted tells whether a rule grants the request by its name.
func granted(q request, rules []rbacv1.PolicyRule) bool {
	return slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
		return slices.Contains(rule.ResourceNames, q.name) && q.within(rule)
	})
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
