package environment

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// An object of one environment is compared with the one of the other that is called alike, but
// for what the names of the Application, of its cluster and of the environment add.
func TestPlacesOfObjects(t *testing.T) {
	dev, prod := &view.Row{Name: "web-dev", Cluster: "c1", Destination: "shop-dev"}, &view.Row{Name: "web-production", Cluster: "eu-1", Destination: "shop"}
	from, to := SideOf(dev, "dev"), SideOf(prod, "prod")
	for name, tc := range map[string]struct {
		reason                           string
		fromSpace, from, toSpace, toName string
		same                             bool
	}{
		"As they are":      {"neither has more in it", "shop-dev", "api", "shop", "api", true},
		"Others":           {"other names are other objects", "shop-dev", "api", "shop", "db", false},
		"Application":      {"its own name", "shop-dev", "web-dev", "shop", "web-production", true},
		"Begins":           {"what begins with it", "shop-dev", "web-dev-config", "shop", "web-production-config", true},
		"Environment":      {"the environment behind, as either spells it", "shop-dev", "config-development", "shop", "config-prd", true},
		"Before":           {"or before", "shop-dev", "dev-config", "shop", "prod-config", true},
		"Within":           {"or within", "shop-dev", "a-dev-b", "shop", "a-prod-b", true},
		"Cluster":          {"so it is with the cluster", "shop-dev", "a-c1", "shop", "a-eu-1", true},
		"Part of a word":   {"part of a word is none", "shop-dev", "devices", "shop", "ices", false},
		"Cluster-scoped":   {"what is in no namespace is of the destination's, as its kind is another one", "", "web-dev", "shop", "web-production", true},
		"Namespace":        {"another namespace is another place", "monitoring", "api", "shop", "api", false},
		"Namespaces alike": {"also where environments part them", "monitoring-dev", "api", "monitoring-prod", "api", true},
		"Not the other's":  {"what only the other side has stays", "shop-dev", "config-prod", "shop", "config", false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := from.Place(tc.fromSpace, tc.from), to.Place(tc.toSpace, tc.toName)
			if (a == b) != tc.same {
				t.Errorf("%s: they are at %q and %q", tc.reason, a, b)
			}
		})
	}
}

// Who has no cluster and no environment has its name alone: nothing is taken out of others
// for a word that is empty.
func TestPlacesOfASideWithoutAPlace(t *testing.T) {
	side := SideOf(&view.Row{Namespace: "argocd", Name: "web"}, "")
	for name, want := range map[string]string{"web": "ns/·", "web-a": "ns/·-a", "a-web": "ns/a", "a--b": "ns/a--b", "-": "ns/-", "": "ns/", "été-web": "ns/été"} {
		if got := side.Place("ns", name); got != want {
			t.Errorf("%q is at %q, want %q", name, got, want)
		}
	}
	if side.Key != (view.Key{Namespace: "argocd", Name: "web"}) {
		t.Errorf("it is %v", side.Key)
	}
}
