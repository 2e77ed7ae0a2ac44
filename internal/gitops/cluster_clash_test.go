package gitops

import (
	"fmt"
	"slices"
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

func TestWhatIsNoClash(t *testing.T) {
	hub := Cluster{Name: HubName, Server: HubServer}
	cases := map[string]struct {
		reason   string
		clusters []Cluster
		want     []string
	}{
		"None":     {"nothing clashes with nothing", nil, nil},
		"One":      {"one has its name alone", []Cluster{{Name: "a", Server: "https://a", Secret: "a"}}, nil},
		"Bare":     {"the hub without a Secret is none that somebody describes", []Cluster{hub, {Name: HubName, Server: HubServer, Secret: "hub"}}, nil},
		"NoName":   {"what has no name shares none", []Cluster{{Server: "https://a", Secret: "a"}, {Server: "https://b", Secret: "b"}}, nil},
		"NoServer": {"and what has no server none", []Cluster{{Name: "a", Secret: "a"}, {Name: "b", Secret: "b"}}, nil},
		"Ports":    {"another port is another server", []Cluster{{Name: "a", Server: "https://a:1", Secret: "a"}, {Name: "b", Server: "https://a:2", Secret: "b"}}, nil},
		"Poses":    {"two that pose as the hub share no name: each has to get another", []Cluster{{Name: HubName, Server: "https://a", Secret: "x"}, {Name: HubName, Server: "https://b", Secret: "b"}}, []string{"name in-cluster [b] ", "name in-cluster [x] "}},
		"Both":     {"one that was described twice is told by both", []Cluster{{Name: "a", Server: "https://a", Secret: "y"}, {Name: "a", Server: "https://a", Secret: "x"}}, []string{"name a [x y] ", "server https://a [x y] "}},
		"Sources":  {"of what two sources found none is used", []Cluster{{Name: "a", Server: "https://a", Secret: "x", Source: "s"}, {Name: "b", Server: "https://a", Secret: "y", Source: "r"}}, []string{"server https://a [x y] "}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(tc.clusters)
			var got []string
			for _, c := range Clashes(tc.clusters) {
				got = append(got, fmt.Sprint(c.Field, " ", c.Value, " ", c.Secrets, " ", c.Used))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !cmp.Equal(before, tc.clusters) {
				t.Error("the list was changed")
			}
		})
	}
}
