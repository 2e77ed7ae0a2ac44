package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestLeads asks projects for destinations that name the cluster of another
// project, and for the same ones while there is none.
func TestLeads(t *testing.T) {
	const server = "https://vault.example.com"
	cluster := gitops.Cluster{Name: "vault", Server: server, Project: "blue", Secret: "vault"}
	byName := v1alpha1.ApplicationDestination{Name: "vault", Namespace: "shop"}
	byServer := v1alpha1.ApplicationDestination{Server: server, Namespace: "shop"}
	to := func(server, name string) v1alpha1.ApplicationDestination {
		return v1alpha1.ApplicationDestination{Server: server, Name: name, Namespace: "*"}
	}
	list := func(all ...v1alpha1.ApplicationDestination) []v1alpha1.ApplicationDestination { return all }
	cases := map[string]struct {
		reason       string
		destinations []v1alpha1.ApplicationDestination
		scoped       bool
		asked        v1alpha1.ApplicationDestination
		there, none  bool
	}{
		"ByName":        {"its name tells nothing", list(to("https://mine", "")), false, byName, false, false},
		"ByServer":      {"nor does its address", list(to("", "mine")), false, byServer, false, false},
		"Permitted":     {"what the project permits by name is told", list(to("", "vault")), false, byName, true, true},
		"All":           {"as everything is", list(to("*", "")), false, byName, true, true},
		"AllNames":      {"in either way", list(to("", "*")), false, byServer, true, true},
		"OtherHalf":     {"what only its address decides is not, where it has none", list(to("https://vault*", "")), false, byName, true, false},
		"OtherHalfName": {"nor what only its name does", list(to("", "v*")), false, byServer, true, false},
		"Denied":        {"a denied address tells no name", list(to("*", ""), to("!"+server, "")), false, byName, false, false},
		"DeniedElse":    {"and where it is another one, nobody knows", list(to("*", ""), to("!https://other", "")), false, byName, true, false},
		"Scoped":        {"of own clusters alone", list(to("*", "")), true, byName, false, false},
		"Namespace":     {"in another namespace", list(v1alpha1.ApplicationDestination{Server: "*", Namespace: "web"}), false, byName, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := red()
			p.Spec.Destinations, p.Spec.PermitOnlyProjectScopedClusters = tc.destinations, tc.scoped
			there := Leads(p, tc.asked, []gitops.Cluster{cluster}, nil)
			none := Leads(p, tc.asked, nil, nil)
			if (there == nil) != tc.there || (none == nil) != tc.none {
				t.Errorf("%s: with the cluster %v, without it %v", tc.reason, there, none)
			}
			if there != nil && fmt.Sprint(there) != fmt.Sprint(none) {
				t.Errorf("%s: with the cluster %v, without it %v", tc.reason, there, none)
			}
			if there != nil && tc.asked.Name != "" && strings.Contains(there.Error(), "example.com") {
				t.Errorf("%s: its address is told: %v", tc.reason, there)
			}
			two := []gitops.Cluster{cluster, {Name: "other", Server: "https://mine"}}
			if err := Leads(p, tc.asked, two, nil); there != nil && fmt.Sprint(err) != fmt.Sprint(there) {
				t.Errorf("%s: one of two: %v", tc.reason, err)
			}
		})
	}
}

func TestLeadsNowhere(t *testing.T) {
	for reason, d := range map[string]v1alpha1.ApplicationDestination{"what names no cluster": {}, "what names one twice": {Name: "vault", Server: "https://vault.example.com"}} {
		if err := Leads(red(), d, nil, nil); err != nil {
			t.Errorf("%s is not the project's to say: %v", reason, err)
		}
		if Leads(red(), d, []gitops.Cluster{{Name: "vault", Server: "https://vault.example.com"}}, nil) == nil {
			t.Errorf("%s leads to one all the same, which is permitted", reason)
		}
	}
}

// TestLeadsIsTheSameWithoutACluster holds projects of all kinds to it: what is not
// permitted with some cluster is told as if there were none.
func TestLeadsIsTheSameWithoutACluster(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for range 20_000 {
		p := red()
		p.Spec.PermitOnlyProjectScopedClusters = random.IntN(8) == 0
		for range 1 + random.IntN(3) {
			p.Spec.Destinations = append(p.Spec.Destinations, v1alpha1.ApplicationDestination{
				Name: pick("", "", "*", "a", "!a", "b*", "!b*"), Server: pick("", "*", "https://a", "!https://a", "https://b*", "!https://b*", "["),
				Namespace: pick("*", "x", "!x", "y"),
			})
		}
		c := gitops.Cluster{Name: pick("a", "b", "bb"), Server: pick("https://a", "https://b", "https://bb")}
		d := v1alpha1.ApplicationDestination{Name: c.Name, Namespace: pick("x", "y")}
		if random.IntN(2) == 0 {
			d.Name, d.Server = "", c.Server
		}
		there, none := Leads(p, d, []gitops.Cluster{c}, nil), Leads(p, d, nil, nil)
		if there != nil && fmt.Sprint(there) != fmt.Sprint(none) {
			t.Fatalf("%+v for %+v: with %s at %s %v, without it %v", p.Spec, d, c.Name, c.Server, there, none)
		}
	}
}

func TestReachesMeantTellsNoCluster(t *testing.T) {
	vault := gitops.Cluster{Name: "vault", Server: "https://vault.example.com", Project: "blue"}
	p := red()
	p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "https://mine", Namespace: "*"}}
	d := v1alpha1.ApplicationDestination{Server: vault.Server}
	there, none := ReachesMeant(p, d, []gitops.Cluster{vault}, nil), ReachesMeant(p, d, nil, nil)
	if there == nil || fmt.Sprint(there) != fmt.Sprint(none) || strings.Contains(there.Error(), `"vault"`) {
		t.Errorf("with the cluster %v, without it %v", there, none)
	}
	p.Spec.Destinations[0].Server = vault.Server
	if err := ReachesMeant(p, d, []gitops.Cluster{vault}, nil); err != nil {
		t.Errorf("a cluster that it permits: %v", err)
	}
}
