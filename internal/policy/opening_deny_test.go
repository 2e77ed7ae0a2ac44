package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// TestOpeningDenies: who denies one thing in a list of what is permitted permits all
// others, and hears of it.
func TestOpeningDenies(t *testing.T) {
	sources := func(list ...string) v1alpha1.AppProjectSpec { return v1alpha1.AppProjectSpec{SourceRepos: list} }
	to := func(list ...v1alpha1.ApplicationDestination) v1alpha1.AppProjectSpec {
		return v1alpha1.AppProjectSpec{Destinations: list}
	}
	here := v1alpha1.ApplicationDestination{Name: "prod", Namespace: "shop"}
	cases := map[string]struct {
		reason string
		spec   v1alpha1.AppProjectSpec
		want   string
	}{
		"Mixed":           {"one that is denied beside one that is permitted", sources("https://h/acme/shop-*", "!https://h/acme/shop-secrets"), "spec.sourceRepos[1]"},
		"First":           {"in either order", sources("!https://h/acme/shop-secrets", "https://h/acme/shop-*"), "spec.sourceRepos[0]"},
		"AllBut":          {"all but one are meant", sources("*", "!https://h/acme/secrets"), ""},
		"OnlyDenies":      {"what else could be meant", sources("!https://h/acme/secrets", "!https://h/acme/keys"), ""},
		"Listed":          {"nothing is denied", sources("https://h/acme/shop-*"), ""},
		"OtherNamespaces": {"a namespace of every cluster beside one destination", to(here, v1alpha1.ApplicationDestination{Server: "*", Namespace: "!kube-system"}), "spec.destinations[1]"},
		"OneCluster":      {"of one cluster that is meant", to(here, v1alpha1.ApplicationDestination{Name: "dev", Namespace: "!kube-system"}), ""},
		"OtherServers":    {"a cluster that is denied opens all others", to(here, v1alpha1.ApplicationDestination{Server: "!https://x", Namespace: "*"}), `cluster "!https://x"`},
		"OtherNames":      {"by its name as well", to(v1alpha1.ApplicationDestination{Name: "!prod", Namespace: "*"}, here), "spec.destinations[0]"},
		"AllClusters":     {"two stars are every cluster, too", to(here, v1alpha1.ApplicationDestination{Server: "**", Namespace: "!kube-system"}), "spec.destinations[1]"},
		"AllButSome": {"what is left out of all on purpose", to(v1alpha1.ApplicationDestination{Server: "*", Namespace: "!kube-system"},
			v1alpha1.ApplicationDestination{Server: "!https://team1-*", Namespace: "*"}, v1alpha1.ApplicationDestination{Server: "*", Namespace: "*"}), ""},
		"AllRepositories": {"two stars are every repository", sources("**", "!https://h/acme/secrets"), ""},
		"Alone":           {"all but one are meant", to(v1alpha1.ApplicationDestination{Server: "*", Namespace: "!kube-system"}), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &v1alpha1.AppProject{Spec: tc.spec}
			p.Name = "shop"
			got := policy.Doubts(p, app("argocd", "x"))
			if text := fmt.Sprint(got); tc.want == "" && len(got) > 0 || !strings.Contains(text, tc.want) {
				t.Errorf("%s: %v", tc.reason, got)
			}
		})
	}
}
