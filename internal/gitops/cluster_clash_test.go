package gitops

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClashes(t *testing.T) {
	clusters := []Cluster{
		{Name: "z", Server: "https://A:443/", Secret: "z"}, {Name: "a", Server: "https://a", Secret: "a"}, {Name: "b", Server: "https://a.", Secret: "b", Source: "s"},
		{Name: "prod", Server: "https://b:1", Secret: "prod-2"}, {Name: "prod", Server: "https://c:1", Secret: "prod-1"},
		{Name: "c", Server: "https://c:1", Secret: "found", Source: "s"},
		{Name: HubName, Server: HubServer}, {Name: HubName, Server: HubServer, Secret: "hub"}, {Name: HubName, Server: "https://d", Secret: "poses"},
	}
	want := []Clash{
		{Field: "name", Value: "prod", Secrets: []string{"prod-1", "prod-2"}},
		{Field: "name", Value: HubName, Secrets: []string{"poses"}, Hub: true},
		{Field: "server", Value: "https://a", Secrets: []string{"a", "b", "z"}},
		{Field: "server", Value: "https://c:1", Secrets: []string{"found", "prod-1"}, Used: "prod-1"},
	}
	got := Clashes(clusters)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("a server is one however it is spelled, and what a source found does not count beside what somebody wrote (-want +got):\n%s", diff)
	}
	says := []string{
		`2 cluster Secrets have the name "prod": prod-1, prod-2; destinations by this name are refused until each has another data.name`,
		`cluster Secret poses has the name "in-cluster", which is that of the hub, and another server; destinations by this name lead to the hub: give the Secret another data.name`,
		`3 cluster Secrets have the server "https://a": a, b, z; destinations by this server are refused until one is left`,
		`2 cluster Secrets have the server "https://c:1": found, prod-1; the engine uses prod-1, because a ClusterSource made the others: delete it, or have the source leave the cluster out`,
	}
	for i := range got {
		if got[i].String() != says[i] {
			t.Errorf("got %q, want %q", got[i].String(), says[i])
		}
	}
}
