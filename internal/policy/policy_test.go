package policy_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

var target = policy.Target{Server: "https://prod.example.com", Name: "prod", Namespace: "shop"}

func app(namespace, repo string) *v1alpha1.Application {
	a := &v1alpha1.Application{}
	a.Name, a.Namespace = "shop", namespace
	a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: repo}
	return a
}

func TestDefaultProjectPermitsEverything(t *testing.T) {
	p := policy.DefaultProject("argocd")
	if err := policy.Validate(p); err != nil {
		t.Error(err)
	}
	q := policy.Question{Project: p, App: app("argocd", "https://git.example.com/shop"), Target: target, ControlNamespace: "argocd"}
	if err := policy.Application(q); err != nil {
		t.Error(err)
	}
	for _, namespaced := range []bool{true, false} {
		if err := policy.Resource(p, gitops.Key{Group: "x", Kind: "Y", Name: "z"}, namespaced); err != nil {
			t.Error(err)
		}
	}
}

func TestRefusalsNameTheField(t *testing.T) {
	strict := &v1alpha1.AppProject{}
	strict.Name = "team"
	strict.Spec.SourceRepos = []string{"https://git.example.com/team/*"}
	strict.Spec.Destinations = []v1alpha1.ApplicationDestination{{Name: "dev", Namespace: "*"}}
	cases := map[string]struct {
		reason string
		app    *v1alpha1.Application
		want   []string
	}{
		"Namespace":   {"an Application in a namespace of its own", app("shop", "https://git.example.com/team/a"), []string{"spec.sourceNamespaces", `"team"`}},
		"Source":      {"a repository of somebody else", app("argocd", "https://git.example.com/other/a"), []string{"spec.sourceRepos", "other/a"}},
		"Destination": {"another cluster", app("argocd", "https://git.example.com/team/a"), []string{"spec.destinations", "prod"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := policy.Application(policy.Question{Project: strict, App: tc.app, Target: target, ControlNamespace: "argocd"})
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Forbidden {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(p.Error(), want) {
					t.Errorf("%s: %q is not in %q", tc.reason, want, p.Error())
				}
			}
		})
	}
}

func TestBrokenWindowForbids(t *testing.T) {
	p := policy.DefaultProject("argocd")
	p.Spec.SyncWindows = v1alpha1.SyncWindows{{Kind: "allow", Schedule: "every day", Duration: "1h", Applications: []string{"*"}}}
	if _, err := policy.At(p, app("argocd", "x"), time.Unix(0, 0), time.Time{}); err == nil || !strings.Contains(err.Error(), "every day") {
		t.Errorf("unexpected: %v", err)
	}
}

// TestEmptyWindow has a window of which a file says nothing but a dash.
func TestEmptyWindow(t *testing.T) {
	p := policy.DefaultProject("argocd")
	p.Spec.SyncWindows = v1alpha1.SyncWindows{nil}
	if err := policy.Validate(p); err == nil || !strings.Contains(err.Error(), "spec.syncWindows[0]") {
		t.Errorf("nothing names it: %v", err)
	}
	if got := policy.WindowsFor(p, app("argocd", "x")); got != nil || len(policy.Doubts(p, app("argocd", "x"))) != 1 {
		t.Errorf("it concerns an application: %v", got)
	}
}

func TestNamespaceExpressionsAreBounded(t *testing.T) {
	for pattern, want := range map[string]bool{
		"/^team-[a-z]{1,20}$/":                     true,
		"/" + strings.Repeat(".{0,1000}", 6) + "/": false,
		"/(/": false,
	} {
		if err := policy.CheckNamespacePattern(pattern); (err == nil) != want {
			t.Errorf("%s: %v", pattern, err)
		}
		if got := policy.NamespaceListed([]string{pattern}, "team-red"); got != want {
			t.Errorf("%s lists the namespace: %v", pattern, got)
		}
	}
}
