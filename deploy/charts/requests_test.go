package charts_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

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

// within reports whether a rule is about what is asked, whatever the name.
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
	for _, right := range inTheNameOf(req.Header) {
		r.count(r.asked, right)
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

// inTheNameOf are the rights that a request needs to be somebody else's.
func inTheNameOf(h http.Header) []request {
	user := h.Get("Impersonate-User")
	if user == "" {
		return nil
	}
	who := request{verb: "impersonate", resource: "users", name: user}
	if account, ok := strings.CutPrefix(user, "system:serviceaccount:"); ok {
		who.resource, who.name = "serviceaccounts", account[strings.Index(account, ":")+1:]
	}
	out := []request{who}
	for _, group := range h.Values("Impersonate-Group") {
		out = append(out, request{verb: "impersonate", resource: "groups", name: group})
	}
	for name, said := range h {
		escaped, ok := strings.CutPrefix(name, "Impersonate-Extra-")
		key, err := url.PathUnescape(strings.ToLower(escaped))
		for _, v := range said {
			if ok && err == nil {
				out = append(out, request{verb: "impersonate", group: "authentication.k8s.io", resource: "userextras/" + key, name: v})
			}
		}
	}
	return out
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

// spare are the rights that no request needed, of those that some values add to
// the chart's: TestEngineNeedsWhatTheChartGrants holds what it grants without them.
// Those that are explained are left out; an explanation of nothing is told as well.
func (r *requests) spare(t *testing.T, rules []rbacv1.PolicyRule, explained map[string]string) []string {
	t.Helper()
	objects, _ := render(t, "gitops", nil)
	known := map[string]bool{}
	for _, right := range rightsOf(ownRules(t, objects)) {
		known[right.right()] = true
	}
	granted := map[string]bool{}
	for _, right := range rightsOf(rules) {
		granted[right.right()] = true
	}
	for right := range explained {
		if !granted[right] {
			t.Errorf("it is explained why the engine has a right that the chart does not grant: %s", right)
		}
	}
	return slices.DeleteFunc(r.unused(rules), func(right string) bool { return known[right] || explained[right] != "" })
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

// granted reports whether a rule grants the request by its name.
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
