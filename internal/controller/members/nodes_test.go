package members

import (
	"testing"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
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
