package rights

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// scoped allows what a token's scopes name.
type scoped struct {
	authorizationclient.SubjectAccessReviewInterface

	asked int
}

func (s *scoped) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	s.asked++
	r.Status.Allowed = slices.Contains(r.Spec.Extra["scopes"], "all") || slices.Contains(r.Spec.Groups, "ops")
	return r, nil
}

// Two tokens of one person may be good for different things: neither gets what
// was answered for the other.
func TestReviewsAreOfATokenNotOfAName(t *testing.T) {
	client := &scoped{}
	r := &Reviews{client: client, now: time.Now, log: slog.New(slog.DiscardHandler)}
	cases := []struct {
		who  auth.User
		want bool
	}{
		{auth.User{Name: "ann", Extra: map[string][]string{"scopes": {"all"}}}, true},
		{auth.User{Name: "ann", Extra: map[string][]string{"scopes": {"info"}}}, false},
		{auth.User{Name: "ann"}, false},
		{auth.User{Name: "ann", Groups: []string{"ops"}}, true},
		// An issuer may put any character into a name, a group or a scope.
		{auth.User{Name: "ann\x00ops"}, false},
		{auth.User{Name: "ann", Groups: []string{"scopes", "all"}}, false},
		{auth.User{Name: "ann", Groups: []string{"dev\x00ops"}}, false},
		{auth.User{Name: "ann", Groups: []string{"dev", "ops"}}, true},
	}
	for range 2 {
		for _, tc := range cases {
			got, err := r.may(t.Context(), &tc.who, authorizationv1.ResourceAttributes{Resource: "applications", Verb: "patch"})
			if got != tc.want || err != nil {
				t.Errorf("%+v: %t, %v", tc.who, got, err)
			}
		}
	}
	if client.asked != len(cases) {
		t.Errorf("asked %d times for %d tokens", client.asked, len(cases))
	}
}

// What was answered for an Application is not the answer for another one: names
// come from addresses of requests.
func TestReviewsAreOfOneObject(t *testing.T) {
	u := &auth.User{Name: "ann", Groups: []string{"dev"}}
	known := map[string]bool{}
	for _, a := range []authorizationv1.ResourceAttributes{
		{Namespace: "a", Verb: "get", Name: "b"},
		{Namespace: "a", Verb: "get", Name: "b,FieldSelector:nil,"},
		{Namespace: "a,Verb:get", Verb: "", Name: "b"},
		{Namespace: "a\" \"get", Name: "b"},
		{Namespace: "", Verb: "get", Name: "ab"},
	} {
		key := keyOf(u, &a)
		if known[key] {
			t.Errorf("%+v has the key of another", a)
		}
		known[key] = true
	}
}

// What might be done to something that has no name yet is bounded by the key, as all else is.
func TestMight(t *testing.T) {
	r := New(Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	r.Put(map[string]string{"policy.csv": "p, ann, repositories, create, https://git.example.com/*, allow\np, ann, applications, create, shop/*, allow"})
	ann := func(l auth.Limit) *auth.User {
		return &auth.User{Name: "ann", Via: auth.Local, Claims: map[string]any{"sub": "ann"}, Limit: l}
	}
	readOnly, shop := &key.Scope{ReadOnly: true}, &key.Scope{Rules: []key.Rule{{Resource: "applications", Action: "*", Project: "shop"}}}
	for name, tc := range map[string]struct {
		who                       *auth.User
		resource, action, project string
		want                      bool
	}{
		"by an address":   {ann(nil), "repositories", "create", "", true},
		"in a project":    {ann(nil), "applications", "create", "shop", true},
		"another action":  {ann(nil), "repositories", "delete", "", false},
		"nobody":          {nil, "repositories", "create", "", false},
		"somebody else":   {&auth.User{Name: "bob", Via: auth.Local, Claims: map[string]any{"sub": "bob"}}, "repositories", "create", "", false},
		"a key to read":   {ann(readOnly.Limit()), "repositories", "create", "", false},
		"a key of shop":   {ann(shop.Limit()), "applications", "create", "shop", true},
		"not of anything": {ann(shop.Limit()), "repositories", "create", "", false},
	} {
		if got := r.Might(t.Context(), tc.who, reach.Access{Resource: tc.resource, Action: tc.action, Project: tc.project}); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// slow answers when it is told to.
type slow struct {
	authorizationclient.SubjectAccessReviewInterface

	begun, answer chan struct{}
}

func (s *slow) Create(ctx context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	s.begun <- struct{}{}
	<-s.answer
	r.Status.Allowed = true
	return r, ctx.Err()
}

// Who asks what somebody else just asks waits with them; that the first one
// goes away is no answer for the others.
func TestReviewsAreAskedOnceForAllWhoWait(t *testing.T) {
	client := &slow{begun: make(chan struct{}, 8), answer: make(chan struct{})}
	r := &Reviews{client: client, now: time.Now, log: slog.New(slog.DiscardHandler)}
	ask := func(ctx context.Context) <-chan bool {
		out := make(chan bool, 1)
		go func() {
			allowed, _ := r.may(ctx, &auth.User{Name: "ann"}, authorizationv1.ResourceAttributes{Resource: "applications", Verb: "list"})
			out <- allowed
		}()
		return out
	}
	leaving, leave := context.WithCancel(t.Context())
	first := ask(leaving)
	<-client.begun
	second := ask(t.Context())
	leave()
	if <-first {
		t.Error("who went away has been allowed")
	}
	close(client.answer)
	if !<-second {
		t.Error("who stayed is refused")
	}
	if len(client.begun) > 0 {
		t.Error("the same was asked twice")
	}
}

// named allows one name alone, or to list.
type named struct {
	authorizationclient.SubjectAccessReviewInterface

	verb  string
	asked []string
}

func (n *named) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	a := r.Spec.ResourceAttributes
	n.asked = append(n.asked, a.Verb+" "+a.Resource+" "+a.Name)
	r.Status.Allowed = a.Verb == n.verb && (a.Verb == "list" || a.Name == "b")
	return r, nil
}

// One right to list is enough for all sets and projects of a namespace; where
// there is none, each is asked for, and no more than are left.
func TestPermitAsksForTheListFirst(t *testing.T) {
	ann, log := &auth.User{Name: "ann", Via: auth.Kubernetes}, slog.New(slog.DiscardHandler)
	for name, tc := range map[string]struct {
		verb         string
		most         int
		resource     string
		want, asked  []string
		short, write bool
	}{
		"list":         {verb: "list", most: 9, resource: "applicationsets", want: []string{"a", "b", "c"}, asked: []string{"list applicationsets "}},
		"projects":     {verb: "list", most: 9, resource: "projects", want: []string{"a", "b", "c"}, asked: []string{"list appprojects "}},
		"applications": {verb: "list", most: 9, resource: "applications", want: []string{"a", "b", "c"}, asked: []string{"list applications "}},
		"one":          {verb: "get", most: 9, resource: "applicationsets", want: []string{"b"}, asked: []string{"list applicationsets ", "get applicationsets a", "get applicationsets b", "get applicationsets c"}},
		"bounded":      {verb: "get", most: 2, resource: "applicationsets", asked: []string{"list applicationsets ", "get applicationsets a"}, short: true},
		"to write":     {verb: "list", most: 9, resource: "applicationsets", write: true, asked: []string{"delete applicationsets a", "delete applicationsets b", "delete applicationsets c"}},
	} {
		client := &named{verb: tc.verb}
		r := New(Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: log, Reviews: NewReviews(client, "argocd", log)})
		r.Put(nil)
		ctx, bound := reach.Bounded(t.Context(), tc.most)
		var got []string
		for _, one := range []string{"a", "b", "c"} {
			a := reach.Access{Resource: tc.resource, Action: "get", Namespace: "argocd", Name: one}
			if tc.write {
				a.Action = "delete"
			}
			if r.Permit(ctx, ann, a) == nil {
				got = append(got, one)
			}
		}
		if !slices.Equal(got, tc.want) || !slices.Equal(client.asked, tc.asked) || bound.Short() != tc.short {
			t.Errorf("%s: may %v; asked %v; short %t", name, got, client.asked, bound.Short())
		}
	}
}

// An Application that is not there takes as many questions as one that is hidden: how
// long the answer takes, and whether somebody gets their turn, tells them nothing.
func TestHiddenTakesNoMoreQuestions(t *testing.T) {
	index, log := view.NewIndex(time.Unix(1, 0)), slog.New(slog.DiscardHandler)
	index.Put(&view.Row{Namespace: "team", Name: "dns", Project: "ops"})
	ask := func(name string) []string {
		client := &named{verb: "none"}
		r := New(Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: log, Reviews: NewReviews(client, "argocd", log)})
		r.Put(nil)
		ctx := auth.With(t.Context(), &auth.User{Name: "ann", Via: auth.Kubernetes})
		if _, err := reach.New(r, index, nil).Application(ctx, view.Key{Namespace: "team", Name: name}, "applications", "get"); !errors.As(err, &reach.Hidden{}) {
			t.Errorf("%s: %v", name, err)
		}
		return client.asked
	}
	there, none := ask("dns"), ask("dnt")
	if len(there) != len(none) || len(none) == 0 {
		t.Errorf("asked %v where there is one, and %v where there is none", there, none)
	}
}

// Whom the policy lets do something, Kubernetes' roles do not have to, nor do
// they have to whom Kubernetes does not know.
func TestByKubernetes(t *testing.T) {
	r := New(Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	r.Put(map[string]string{"policy.csv": "p, ann, applications, get, shop/*, allow\n"})
	get, sync := reach.Access{Resource: "applications", Action: "get", Project: "shop", Name: "web"}, reach.Access{Resource: "applications", Action: "sync", Project: "shop", Name: "web"}
	claims := map[string]any{"sub": "ann"}
	for _, tc := range []struct {
		reason string
		who    *auth.User
		what   reach.Access
		want   bool
	}{
		{"nobody has roles", nil, get, false},
		{"an account has none", &auth.User{Name: "bob", Via: auth.Local}, get, false},
		{"nor who is of an issuer", &auth.User{Name: "bob", Via: auth.OIDC}, get, false},
		{"the policy lets them", &auth.User{Name: "ann", Via: auth.Kubernetes, Claims: claims}, get, false},
		{"it lets them do that alone", &auth.User{Name: "ann", Via: auth.Kubernetes, Claims: claims}, sync, true},
		{"it does not know them", &auth.User{Name: "bob", Via: auth.Kubernetes}, get, true},
		{"a name that is the policy's own gives nothing", &auth.User{Name: "admin", Via: auth.Kubernetes, Claims: map[string]any{"sub": "admin"}}, get, true},
	} {
		if got := r.ByKubernetes(tc.who, tc.what); got != tc.want {
			t.Errorf("%s: %t", tc.reason, got)
		}
	}
}

// Every Pod has a token of a service account: policy.default, which is for people, gives it nothing. Lines of the policy
// and Kubernetes' roles do.
func TestDefaultRoleIsNotForServiceAccounts(t *testing.T) {
	const name = "system:serviceaccount:team:web"
	as := func(via auth.Via, name string) *auth.User {
		groups := []string{"system:serviceaccounts", "system:serviceaccounts:team"}
		return &auth.User{Name: name, Groups: groups, Via: via, Claims: map[string]any{"sub": name, "groups": []any{groups[0], groups[1]}}}
	}
	log, row := slog.New(slog.DiscardHandler), &view.Row{Namespace: "argocd", Name: "dns", Project: "ops"}
	for reason, tc := range map[string]struct {
		who    *auth.User
		policy string
		verb   string
		want   bool
	}{
		"a workload has no default role":               {as(auth.Kubernetes, name), "", "", false},
		"a line of the policy names it":                {as(auth.Kubernetes, name), "g, " + name + ", role:readonly", "", true},
		"or a group of it":                             {as(auth.Kubernetes, name), "g, system:serviceaccounts:team, role:readonly", "", true},
		"Kubernetes lets it":                           {as(auth.Kubernetes, name), "", "list", true},
		"people whom Kubernetes knows keep it":         {as(auth.Kubernetes, "ann"), "", "", true},
		"as does whoever another issuer calls so":      {as(auth.OIDC, name), "", "", true},
		"accounts and their keys":                      {as(auth.Local, "ci"), "", "", true},
		"and who has not signed in, where they may be": {nil, "", "", true},
	} {
		t.Run(reason, func(t *testing.T) {
			r := New(Options{
				Namespace: "argocd", Settings: func() map[string]string { return map[string]string{v1alpha1.SettingAnonymous: "true"} },
				Log: log, Reviews: NewReviews(&named{verb: tc.verb}, "argocd", log),
			})
			r.Put(map[string]string{"policy.csv": tc.policy, "policy.default": "role:readonly"})
			for _, other := range []*auth.User{as(auth.OIDC, name), tc.who} { // what one of the same name may is no other's
				want := tc.want || other != tc.who
				visible, err := r.Visible(t.Context(), other)
				if err != nil || visible(row) != want {
					t.Errorf("sees it: %t, %v", !want, err)
				}
				if got := r.Permit(t.Context(), other, reach.Access{Resource: "applications", Action: "get", Project: "ops", Namespace: "argocd", Name: "dns"}) == nil; got != want {
					t.Errorf("reads it: %t", got)
				}
				if got := r.Might(t.Context(), other, reach.Access{Resource: "applications", Action: "get"}); tc.verb == "" && got != want {
					t.Errorf("might read: %t", got)
				}
			}
		})
	}
}
