package generate

import (
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
		"Twice":    {"a server that two have is nobody's", "", "https://one.example.com", `2 cluster Secrets have the server "https://one.example.com": one, two`},
		"Name":     {"the name of each is its own", "one", "", ""},
		"Twins":    {"a name that two have is nobody's", "twin", "", `2 cluster Secrets have the name "twin": twin-a, twin-b`},
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
		})
	}
}
