package up

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

func TestDeclaredClustersCount(t *testing.T) {
	s := fleetstatus.Snapshot{
		Clusters: []fleetstatus.Cluster{{Name: "hub", Hub: true}},
		Apps:     []fleetstatus.App{{Name: "root", Cluster: "hub"}, {Name: "a", Cluster: "dev"}, {Name: "b", Cluster: "dev"}, {Name: "c", Cluster: "prod"}},
	}
	if got := clustersOf(s); got != 3 {
		t.Errorf("%d clusters: those that Git declares are not started with the fleet", got)
	}
}

func TestAFleetWithoutApplicationsHasNothingToRollOut(t *testing.T) {
	if got, want := rolledOut(fleetstatus.Tally{}, 2, "3.0 s"), "2 clusters ready after 3.0 s. There is no application yet: nothing to roll out.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := rolledOut(fleetstatus.Tally{Apps: 3, Good: 3}, 1, "3.0 s"), "3 applications on 1 cluster Synced and Healthy after 3.0 s.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
