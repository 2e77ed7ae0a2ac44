package policy_test

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// TestDeniesMeanCharts reaches one repository of a registry by all the ways to write
// it into an address and the name of a chart.
func TestDeniesMeanCharts(t *testing.T) {
	ways := map[string]gitops.SourceRef{
		"Artifact":   {RepoURL: "oci://registry.example.com/blue/shop"},
		"Folder":     {RepoURL: "registry.example.com/blue", Chart: "shop"},
		"FolderOCI":  {RepoURL: "oci://registry.example.com/blue", Chart: "shop"},
		"Root":       {RepoURL: "registry.example.com", Chart: "blue/shop"},
		"RootOCI":    {RepoURL: "oci://registry.example.com", Chart: "blue/shop"},
		"Slash":      {RepoURL: "oci://registry.example.com/", Chart: "blue/shop"},
		"Port":       {RepoURL: "oci://registry.example.com:443", Chart: "blue/shop"},
		"Case":       {RepoURL: "oci://Registry.Example.com", Chart: "Blue/SHOP"},
		"Dot":        {RepoURL: "registry.example.com.", Chart: "blue/shop"},
		"Slashes":    {RepoURL: "registry.example.com", Chart: "/blue//shop/"},
		"Encoded":    {RepoURL: "registry.example.com", Chart: "blue%2Fsh%6Fp"},
		"Ending":     {RepoURL: "registry.example.com", Chart: "blue/shop.git"},
		"Climbs":     {RepoURL: "registry.example.com/red", Chart: "../blue/shop"},
		"Stays":      {RepoURL: "registry.example.com", Chart: "./blue/shop"},
		"Backslash":  {RepoURL: "registry.example.com", Chart: `blue\shop`},
		"Parameters": {RepoURL: "registry.example.com", Chart: "blue;x/shop"},
		"Long":       {RepoURL: "registry.example.com", Chart: strings.Repeat("/", 300) + "blue/shop"},
		"Web":        {RepoURL: "https://registry.example.com", Chart: "blue/shop"},
		"WebFolder":  {RepoURL: "https://registry.example.com/blue", Chart: "shop"},
		"User":       {RepoURL: "git@registry.example.com:blue", Chart: "shop"},
	}
	for _, rules := range [][]string{
		{"*", "!registry.example.com/blue/**", "!registry.example.com/blue*"},
		{"*", "!oci://registry.example.com/blue/**", "!oci://registry.example.com/blue"},
		{"*", "!https://registry.example.com/blue/shop", "!https://registry.example.com/blue"},
		{"!*://*.example.com/blue", "!*://*.example.com/blue/shop"},
	} {
		for name, ref := range ways {
			if err := policy.Source(projectOf(rules...), ref); err == nil {
				t.Errorf("%s: %q does not hold against chart %q of %q", name, rules, ref.Chart, ref.RepoURL)
			}
		}
	}
	for name, rule := range map[string]string{
		"Exact":  "!registry.example.com/blue/shop",
		"Folder": "!registry.example.com/blue",
		"Below":  "!registry.example.com/blue/*",
	} {
		for _, way := range []string{"Root", "RootOCI", "Slashes"} {
			if err := policy.Source(projectOf("*", rule), ways[way]); err == nil {
				t.Errorf("%s: %q does not hold against chart %q of %q", name, rule, ways[way].Chart, ways[way].RepoURL)
			}
		}
	}
	err := policy.Source(projectOf("*", "!registry.example.com/blue/**"), ways["Root"])
	if err == nil || !strings.Contains(err.Error(), `cannot use chart "blue/shop" of repository registry.example.com: "!registry.example.com/blue/**" in spec.sourceRepos`) {
		t.Errorf("it does not tell which chart is denied: %v", err)
	}
}

// TestChartsThatAreNotDenied are permitted by the address of their repository, as in
// Argo CD, and by no more than that.
func TestChartsThatAreNotDenied(t *testing.T) {
	denies := []string{"*", "!registry.example.com/blue/**", "!registry.example.com/blue*", "!https://charts.example.com/blue*"}
	cases := map[string]struct {
		reason    string
		rules     []string
		ref       gitops.SourceRef
		permitted bool
	}{
		"Other":     {"another folder", denies, gitops.SourceRef{RepoURL: "registry.example.com", Chart: "red/shop"}, true},
		"Deeper":    {"a folder of that name elsewhere", denies, gitops.SourceRef{RepoURL: "registry.example.com/red", Chart: "blue/shop"}, true},
		"Host":      {"another registry", denies, gitops.SourceRef{RepoURL: "registry.example.org", Chart: "blue/shop"}, true},
		"Web":       {"an index has the name, which is no place", denies, gitops.SourceRef{RepoURL: "https://charts.example.com", Chart: "blue-web"}, true},
		"Git":       {"no chart", denies, gitops.SourceRef{RepoURL: "https://git.example.com/shop"}, true},
		"Unread":    {"of a name that no registry takes nothing is told here", []string{"*"}, gitops.SourceRef{RepoURL: "registry.example.com", Chart: "../shop"}, true},
		"Permit":    {"the address alone is permitted", []string{"registry.example.com/red"}, gitops.SourceRef{RepoURL: "registry.example.com/red", Chart: "shop/web"}, true},
		"PermitTop": {"and not what the name adds to it", []string{"registry.example.com/red/**"}, gitops.SourceRef{RepoURL: "registry.example.com", Chart: "red/shop"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := policy.Source(projectOf(tc.rules...), tc.ref); (err == nil) != tc.permitted {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestChartsOfApplications holds the charts of all sources against the project.
func TestChartsOfApplications(t *testing.T) {
	p := projectOf("*", "!registry.example.com/blue/**")
	sources := v1alpha1.ApplicationSources{{RepoURL: "https://git.example.com/shop"}, {RepoURL: "registry.example.com", Chart: "blue/shop"}}
	a := app("argocd", "shop")
	a.Spec.Sources = sources
	if policy.Sources(p, sources) == nil || policy.Origins(policy.Question{Project: p, App: a, ControlNamespace: "argocd"}) == nil {
		t.Error("a chart of a folder that is denied is a source")
	}
	sources[1].Chart = "red/shop"
	if err := policy.Origins(policy.Question{Project: p, App: a, ControlNamespace: "argocd"}); err != nil {
		t.Errorf("a chart of another folder is none: %v", err)
	}
}
