package generate

import (
	"context"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestDestinations has clusters of which some share a name or a server.
func TestDestinations(t *testing.T) {
	r := &run{fleetRead: true, fleet: []gitops.Cluster{
		{Name: "prod", Server: "https://PROD.example.com", Secret: "prod"},
		{Name: "found", Server: "https://prod.example.com:443", Secret: "found", Source: "vclusters"},
		{Name: "one", Server: "https://one.example.com", Secret: "one"}, {Name: "two", Server: "https://one.example.com/", Secret: "two"},
		{Name: "twin", Server: "https://a.example.com", Secret: "twin-a"}, {Name: "twin", Server: "https://b.example.com", Secret: "twin-b"},
	}}
	p, err := r.destinations()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason, name, server string
		problem              string
	}{
		"Server":   {"however it is spelled, and whatever a source found", "", "https://prod.EXAMPLE.com/", ""},
		"Twice":    {"a server that two have is nobody's", "", "https://one.example.com", `several cluster Secrets have the server "https://one.example.com"`},
		"Name":     {"the name of each is its own", "one", "", ""},
		"Twins":    {"a name that two have is nobody's", "twin", "", `several cluster Secrets have the name "twin"`},
		"Hub":      {"the hub is always known", "", "https://Kubernetes.default.svc:443", ""},
		"HubName":  {"by its name, too", gitops.HubName, "", ""},
		"Unknown":  {"nothing has it", "", "https://new.example.com", `no cluster has the server "https://new.example.com"`},
		"Unnamed":  {"nor this", "new", "", `no cluster has the name "new"`},
		"Both":     {"one is enough", "one", "https://one.example.com", "both"},
		"Nothing":  {"none is too little", "", "", "neither"},
		"FoundBy":  {"what a source found has its name", "found", "", ""},
		"TwinsURL": {"and each twin its server", "", "https://a.example.com", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := p.check(v1alpha1.ApplicationDestination{Name: tc.name, Server: tc.server})
			if (tc.problem == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if err != nil && (strings.Contains(err.Error(), "twin-a") || strings.Contains(err.Error(), "two")) {
				t.Errorf("who reads the set is told which Secrets there are: %v", err)
			}
		})
	}
}

// narrow is a project that permits one cluster, whether there is one or not.
type narrow string

func (n narrow) Permits(_ context.Context, _ string, d v1alpha1.ApplicationDestination) (bool, error) {
	return d.Name == string(n), nil
}

func (narrow) PermitsSource(context.Context, string, string) error { return nil }

// TestDestinationsThatAreNotPermitted has the same come of a destination that the project does not permit, whether there is
// such a cluster, several, or none.
func TestDestinationsThatAreNotPermitted(t *testing.T) {
	fleet := fakeClusters{
		{Name: "vault", Server: "https://vault.example.com", Secret: "vault"},
		{Name: "twin", Server: "https://a.example.com", Secret: "twin-a"}, {Name: "twin", Server: "https://b.example.com", Secret: "twin-b"},
	}
	spec := replaced(fast("generators: [{list: {elements: [{app: there, v: vault}, {app: twice, v: twin}, {app: none, v: guess}, {app: away, v: mine}, {app: lacks}]}}]"), "server: https://kubernetes.default.svc", "name: '{{v}}'")
	exp, err := New(fleet, fakeRepos{}, anyProject{}, WithRules(narrow("mine"))).Applications(t.Context(), specSet(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(exp.Applications), " "); got != "none there twice" {
		t.Errorf("the set gives %q", got)
	}
	var rejected []string
	for _, r := range exp.Rejected {
		rejected = append(rejected, r.Name+": "+r.Err.Error())
	}
	if len(rejected) != 2 || !strings.Contains(rejected[0], `no cluster has the name "mine"`) || !strings.Contains(rejected[1], `no cluster has the name "{{v}}"`) {
		t.Errorf("of what the project permits, and of what no cluster could be called, it is told that it is not there: %q", rejected)
	}
}
