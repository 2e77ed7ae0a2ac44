package policy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func red(denied ...string) *v1alpha1.AppProject {
	p := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "red"}}
	p.Spec.SourceRepos = denied
	return p
}

// TestOwnClusterIsNoPattern has clusters of a project, and what else they would permit if they were read as patterns.
func TestOwnClusterIsNoPattern(t *testing.T) {
	const spoke = "https://spoke.example.com:6443"
	cases := map[string]struct {
		reason     string
		own        string
		namespaces []string
		to, in     string
		want       bool
	}{
		"Itself":       {"what belongs to it", spoke, nil, spoke, "shop", true},
		"NoNamespace":  {"also before a namespace is known", spoke, nil, spoke, "", true},
		"Spelled":      {"however it is spelled", "https://Spoke.example.com:06443/", nil, spoke, "shop", true},
		"IPv6":         {"an IPv6 address", "https://[::1]:6443", nil, "https://[::1]:6443", "shop", true},
		"IPv6Spelled":  {"however that is spelled", "https://[0:0::1]:6443", nil, "https://[::1]:6443", "shop", true},
		"IPv6Class":    {"whose brackets are no class", "https://[::1]:6443", nil, "https://1:6443", "shop", false},
		"Other":        {"another one", spoke, nil, "https://other.example.com", "shop", false},
		"Star":         {"a star is every server", "https://*", nil, gitops.HubServer, "argocd", false},
		"AllOfThem":    {"and so is one alone", "*", nil, gitops.HubServer, "argocd", false},
		"StarAndSlash": {"with a slash at the end", "https://*/", nil, gitops.HubServer, "argocd", false},
		"Question":     {"any letter", "https://k?bernetes.default.svc", nil, gitops.HubServer, "argocd", false},
		"Braces":       {"one of several", "https://{kubernetes.default.svc,x}", nil, gitops.HubServer, "argocd", false},
		"Class":        {"one letter of a class", "https://[k]ubernetes.default.svc", nil, gitops.HubServer, "argocd", false},
		"Escape":       {"an escape", `https://\kubernetes.default.svc`, nil, gitops.HubServer, "argocd", false},
		"Not":          {"whatever it is not", "!https://spoke.example.com", nil, gitops.HubServer, "argocd", false},
		"Nothing":      {"no address is none of all", "", nil, gitops.HubServer, "argocd", false},
		"Namespace":    {"its namespaces are limits", spoke, []string{"shop", "web"}, spoke, "web", true},
		"NotItsOwn":    {"another namespace", spoke, []string{"shop"}, spoke, "web", false},
		"NamespaceNot": {"a namespace that begins as a denial is one of no cluster", spoke, []string{"!web", "s*"}, spoke, "shop", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clusters := []gitops.Cluster{{Name: "x", Server: tc.own, Project: "red", Namespaces: tc.namespaces}, {Name: "y", Server: tc.to, Project: "blue"}}
			p := WithOwn(red(), clusters, nil)
			err := Destination(p, Target{Server: tc.to, Name: "there", Namespace: tc.in}, clusters[:1])
			if (err == nil) != tc.want {
				t.Errorf("%s: %q permits %s: %v", tc.reason, tc.own, tc.to, err)
			}
			if doubts := Doubts(p, &v1alpha1.Application{}); len(doubts) > 0 {
				t.Errorf("%s: what nobody wrote into the project is held against it: %v", tc.reason, doubts)
			}
		})
	}
}

// TestOwnClusterDeniesNothing has a cluster of a project beside what its project permits.
func TestOwnClusterDeniesNothing(t *testing.T) {
	p := red()
	p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: gitops.HubServer, Namespace: "red"}}
	p = WithOwn(p, []gitops.Cluster{{Server: "!" + gitops.HubServer, Project: "red", Namespaces: []string{"!red"}}, {Server: "[", Project: "red"}}, nil)
	if err := Destination(p, Target{Server: gitops.HubServer, Namespace: "red"}, nil); err != nil {
		t.Error(err)
	}
}

// TestOwnRepositoryIsNoPattern is TestOwnClusterIsNoPattern for repositories.
func TestOwnRepositoryIsNoPattern(t *testing.T) {
	const app = "https://git.example.com/team/app"
	cases := map[string]struct {
		reason   string
		own, url string
		want     bool
	}{
		"Itself":  {"what belongs to it", app, app, true},
		"Suffix":  {"with what Git adds", app + ".git", app + "/", true},
		"Query":   {"with a query", app + "?id=a", app + "?id=a", true},
		"IPv6":    {"at an IPv6 address", "https://[fd00::10]/team/app", "https://[fd00:0::10]/team/app", true},
		"SSH":     {"in both forms of ssh", "git@git.example.com:team/app.git", "ssh://git@git.example.com/team/app", true},
		"Way":     {"another way has other credentials", app, "git@git.example.com:team/app", false},
		"Other":   {"another one", app, "https://git.example.com/team/other", false},
		"Star":    {"a star is every repository of a team", "https://git.example.com/team/*", app, false},
		"Begins":  {"whatever begins so", "https://git.example.com/team/a*", app, false},
		"Stars":   {"and of a host", "https://git.example.com/**", app, false},
		"All":     {"and of all", "*", app, false},
		"Letter":  {"any letter", "https://git.example.com/team/ap?", app, false},
		"Braces":  {"one of several", "https://git.example.com/team/{app,x}", app, false},
		"Not":     {"whatever it is not", "!https://git.example.com/x", app, false},
		"NotText": {"what is no address", "!", app, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := WithOwn(red(), nil, []string{tc.own})
			if err := Source(p, gitops.SourceRef{RepoURL: tc.url}); (err == nil) != tc.want {
				t.Errorf("%s: %q permits %s: %v", tc.reason, tc.own, tc.url, err)
			}
			if err := Manifests(p); err == nil {
				t.Errorf("%s: manifests of no repository are permitted by %q", tc.reason, tc.own)
			}
			if doubts := Doubts(p, &v1alpha1.Application{}); len(doubts) > 0 {
				t.Errorf("%s: what nobody wrote into the project is held against it: %v", tc.reason, doubts)
			}
		})
	}
	if err := Source(WithOwn(red("!https://git.example.com/team/*"), nil, []string{app}), gitops.SourceRef{RepoURL: app}); err == nil {
		t.Error("what belongs to a project counts more than what the project denies")
	}
}
