package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/rights"
)

// authorizer is Kubernetes' one: it keeps what it is asked, and allows what it
// is told to.
type authorizer struct {
	authorizationclient.SubjectAccessReviewInterface

	allow func(*authorizationv1.ResourceAttributes) bool

	mu    sync.Mutex
	asked []string
}

func (a *authorizer) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	of := r.Spec.ResourceAttributes
	a.asked = append(a.asked, strings.Join([]string{of.Verb, of.Resource, of.Namespace, of.Name}, " "))
	r.Status.Allowed = a.allow(of)
	return r, nil
}

// questions are those that were asked since the last time.
func (a *authorizer) questions() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.asked
	a.asked = nil
	slices.Sort(out)
	return out
}

// byKubernetes serves a world to somebody whom no policy knows, with nothing
// remembered of them.
func byKubernetes(t *testing.T, o Options, a *authorizer) http.Handler {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	r := rights.New(rights.Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: log, Reviews: rights.NewReviews(a, "argocd", log)})
	if !r.Put(nil) {
		t.Fatal("the policy is not taken")
	}
	o.Rights = r
	api := New(o)
	return http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		api.ServeHTTP(rw, q.WithContext(auth.With(q.Context(), &auth.User{Name: "jane", Via: auth.Kubernetes})))
	})
}

func foundBy(t *testing.T, h http.Handler, text string) Found {
	t.Helper()
	rw := httptest.NewRecorder()
	h.ServeHTTP(rw, httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+"/search?q="+url.QueryEscape(text), nil))
	var out Found
	if err := json.Unmarshal(rw.Body.Bytes(), &out); err != nil || rw.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", text, rw.Code, rw.Body)
	}
	return out
}

// What the authorizer is asked does not depend on what is looked for: nobody
// can tell by the time whether something hidden fits.
func TestSearchAsksTheSameWhateverIsLookedFor(t *testing.T) {
	hidden := map[string]string{
		"an Application": "dns", "a set": "webs", "a project": "platform", "a repository": "example.com/p", "a cluster": "environment=prod",
		"a commit": "raise memory", "an object": "deploy/server-of-web", "a key": "region", "a missing key": "vpc", "all": "e",
	}
	for name, allow := range map[string]func(*authorizationv1.ResourceAttributes) bool{
		"nothing": func(*authorizationv1.ResourceAttributes) bool { return false },
		"one set": func(a *authorizationv1.ResourceAttributes) bool { return a.Name == "webs" },
		"secrets": func(a *authorizationv1.ResourceAttributes) bool { return a.Resource == "secrets" },
	} {
		a := &authorizer{allow: allow}
		search := func(text string) []string {
			foundBy(t, byKubernetes(t, stocked().options(), a), text)
			return a.questions()
		}
		want := search("nothing is called so")
		if len(want) == 0 {
			t.Fatalf("%s is allowed: the authorizer is not asked", name)
		}
		for what, text := range hidden {
			if d := cmp.Diff(want, search(text)); d != "" {
				t.Errorf("%s is allowed, %s fits (-nothing fits +it does):\n%s", name, what, d)
			}
		}
		if twice := slices.Compact(slices.Clone(want)); len(twice) != len(want) {
			t.Errorf("%s is allowed: asked the same again: %v", name, want)
		}
	}
}

// Whoever may list in Kubernetes finds, for one question each.
func TestSearchByKubernetes(t *testing.T) {
	a := &authorizer{allow: func(of *authorizationv1.ResourceAttributes) bool { return of.Verb == "list" }}
	h := byKubernetes(t, stocked().options(), a)
	for text, want := range map[string][]string{
		"e":        {"applications", "clusters", "applicationSets", "repositories", "commits", "objects", "keys"},
		"platform": {"applications", "projects"},
	} {
		got, kinds := foundBy(t, h, text), []string{}
		for _, g := range got.Groups {
			kinds = append(kinds, g.Kind)
		}
		if d := cmp.Diff(want, kinds); d != "" || len(got.Late)+len(got.Failed) > 0 {
			t.Errorf("%s, late %v, failed %v: -want +got:\n%s", text, got.Late, got.Failed, d)
		}
	}
	for _, q := range a.questions() {
		if !strings.HasPrefix(q, "list ") {
			t.Errorf("asked %s", q)
		}
	}
}

// crowd is a world of many sets, in each of which a right may be given alone.
type crowd struct {
	*world

	sets int
}

func (m crowd) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	out := make([]v1alpha1.ApplicationSet, m.sets)
	for i := range out {
		out[i].Namespace, out[i].Name = "argocd", fmt.Sprintf("set-%03d", i)
	}
	return out, nil
}

// One search leads to a bounded number of questions; the next one comes further.
func TestSearchAsksABoundedNumber(t *testing.T) {
	w := stocked()
	o := w.options()
	o.Applications = crowd{w, 3*reviewsEach - 1}
	last := fmt.Sprintf("set-%03d", 3*reviewsEach-2)
	a := &authorizer{allow: func(of *authorizationv1.ResourceAttributes) bool { return of.Name == last }}
	h := byKubernetes(t, o, a)
	for i := range 3 {
		got := foundBy(t, h, last)
		about := 0
		for _, q := range a.questions() {
			if strings.Contains(q, " applicationsets ") && !strings.HasSuffix(q, " webs") { // that one is of the keys
				about++
			}
		}
		late, found := slices.Contains(got.Late, "applicationSets"), len(got.Groups) == 1
		if about > reviewsEach || late != (i < 2) || found != (i == 2) {
			t.Errorf("search %d: %d questions about sets; %+v", i, about, got)
		}
	}
}

// torn is a world of which some cannot be read.
type torn struct{ *world }

func (torn) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	return nil, errors.New("dial tcp 10.0.0.1: password=hunter2 is wrong")
}

func (torn) Projects(context.Context) ([]v1alpha1.AppProject, error) {
	return nil, gitops.Problemf(gitops.Unreachable, "the hub does not answer").Do("see that it runs")
}

// lost are repositories that cannot be read, for a mistake.
type lost struct{ registered }

func (lost) All(context.Context) ([]Repository, error) { panic("a nil map") }

// What cannot be looked through is named with a reason that may be read, and
// the rest is found.
func TestSearchTellsWhatFailed(t *testing.T) {
	w := stocked()
	o := w.options()
	o.Applications, o.Repositories = torn{w}, lost{registered{w}}
	answer := send(t, as(New(o)), "reader", "GET", "/search?q=web-dev", "")
	var out Found
	if err := json.Unmarshal(answer.Body.Bytes(), &out); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	unforeseen := "the server could not look through them; its log says why"
	want := []FoundFailed{{"applicationSets", unforeseen}, {"projects", "the hub does not answer; see that it runs"}, {"repositories", unforeseen}}
	if d := cmp.Diff(want, out.Failed); d != "" || len(out.Late) > 0 || len(out.Groups) == 0 || out.Groups[0].Kind != "applications" {
		t.Errorf("%s\n-want +got:\n%s", answer.Body, d)
	}
}
