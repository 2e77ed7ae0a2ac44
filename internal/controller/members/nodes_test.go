package members

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

func TestFactsOfNodes(t *testing.T) {
	got := factsOfNodes([]fleet.Node{
		{Region: "eu-1", Zone: "b", Architecture: "arm64", Provider: "aws"},
		{Region: "eu-1", Zone: "a", Architecture: "amd64", Provider: "aws"},
		{},
	})
	want := map[causeway.ClusterFact]string{
		causeway.FactNodeCount: "3", causeway.FactRegion: "eu-1", causeway.FactZone: "a,b", causeway.FactArchitecture: "amd64,arm64", causeway.FactProvider: "aws",
	}
	for fact, text := range want {
		if got[fact] != text {
			t.Errorf("%s is %q, want %q", fact, got[fact], text)
		}
	}
}

// Of a cluster without nodes it is known that it has none; of what none of them tells
// there is nothing.
func TestFactsOfNoNodes(t *testing.T) {
	for _, nodes := range [][]fleet.Node{nil, {{}}} {
		for fact, text := range factsOfNodes(nodes) {
			want := ""
			if fact == causeway.FactNodeCount {
				want = strconv.Itoa(len(nodes))
			}
			if text != want {
				t.Errorf("of %d nodes %s is %q, want %q", len(nodes), fact, text, want)
			}
		}
	}
}

// A cluster is asked by its Secret and its server: one that was given another server
// meanwhile is another cluster, and what it tells is not the old one's.
func TestFactsOfAnotherCluster(t *testing.T) {
	const server = "https://127.0.0.1:1"
	f, err := fleet.New(fleet.Options{Hub: &rest.Config{Host: server}, Namespace: "argocd", Convert: observe.New().Live})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	if err := f.Set(t.Context(), gitops.Cluster{Name: "dev", Server: server + "/dev", Secret: "dev"}, &rest.Config{Host: server + "/dev"}); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		reason, secret, server string
		unknown                bool
	}{
		"Secret": {"no Secret has this name", "test", server + "/dev", true},
		"Server": {"it names another server by now", "dev", server + "/old", true},
		"Same":   {"it is asked, however its address is written", "dev", server + "/dev/", false},
	} {
		told, err := Facts(f)(ended, tc.secret, tc.server, nil)
		if err == nil || told != nil || strings.Contains(err.Error(), "describes no cluster") != tc.unknown {
			t.Errorf("%s: %s: told %+v, %v", name, tc.reason, told, err)
		}
	}
	if found, err := New(f).Resolve(v1alpha1.ApplicationDestination{Name: "test"}); err == nil || found != nil {
		t.Errorf("a destination that nobody knows leads to %v", found)
	}
}
