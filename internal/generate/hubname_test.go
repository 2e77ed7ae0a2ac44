package generate

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestNameOfHub has a cluster that is called as the hub is.
func TestNameOfHub(t *testing.T) {
	for reason, hub := range map[string]gitops.Cluster{
		"the hub has no Secret": {Name: gitops.HubName, Server: gitops.HubServer},
		"the hub has a Secret":  {Name: gitops.HubName, Server: gitops.HubServer, Secret: "hub"},
	} {
		r := &run{fleetRead: true, fleet: []gitops.Cluster{{Name: gitops.HubName, Server: "https://prod.example.com", Secret: "a"}, hub}}
		places, err := r.destinations()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []v1alpha1.ApplicationDestination{{Name: gitops.HubName}, {Server: "https://prod.example.com"}} {
			if err := places.check(d); err != nil {
				t.Errorf("%s: %+v is refused: %v", reason, d, err)
			}
		}
		if clusters, err := r.clustersByName(); err != nil || clusters[gitops.HubName].Server != gitops.HubServer {
			t.Errorf("%s: a decision for it leads to %v, %v", reason, clusters[gitops.HubName], err)
		}
	}
}
