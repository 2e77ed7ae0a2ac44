package gitops

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClashes(t *testing.T) {
	clusters := []Cluster{
		{Name: "z", Server: "https://a:1/", Secret: "z"}, {Name: "a", Server: "https://a:1", Secret: "a"}, {Name: "b", Server: "https://a:1", Secret: "b"},
		{Name: "prod", Server: "https://b:1", Secret: "prod-2"}, {Name: "prod", Server: "https://c:1", Secret: "prod-1"},
		{Name: HubName, Server: HubServer},
	}
	broken := func(c Cluster) bool { return c.Secret != "a" }
	want := []Clash{
		{Field: "name", Value: "prod", Secrets: []string{"prod-1", "prod-2"}},
		{Field: "server", Value: "https://a:1", Secrets: []string{"a", "b", "z"}, Used: "b"},
	}
	got := Clashes(clusters, broken)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("a slash at the end makes no other server, and a broken Secret does not count (-want +got):\n%s", diff)
	}
	if got, want := got[1].String(), `3 cluster Secrets have the server "https://a:1": a, b, z; the engine uses b: delete the others`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
