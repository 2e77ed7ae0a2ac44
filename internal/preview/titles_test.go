package preview

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// appOn is an application of a cluster, which some maker made.
func appOn(name, cluster string, parent ID) *App {
	a := &App{Application: &v1alpha1.Application{}, ID: ID{Kind: v1alpha1.ApplicationKind, Namespace: "argocd", Name: name}, Parent: parent}
	a.Name, a.Cluster.Name = name, cluster
	return a
}

// fleetWith is a side with clusters, each of which has an environment and a region.
func fleetWith(clusters ...[3]string) *State {
	s := &State{Apps: map[ID]*App{}, Sets: map[ID]*Set{}}
	for _, c := range clusters {
		s.Side.Roster.Clusters = append(s.Side.Roster.Clusters, roster.Cluster{Cluster: gitops.Cluster{Name: c[0], Server: "https://" + c[0], Labels: map[string]string{"env": c[1], "region": c[2]}}})
	}
	return s
}

func TestTitlesOfGroups(t *testing.T) {
	set := func(name string) ID {
		return ID{Kind: v1alpha1.ApplicationSetKind, Namespace: "argocd", Name: name}
	}
	after := fleetWith([3]string{"a", "prod", "eu"}, [3]string{"b", "prod", "eu"}, [3]string{"c", "prod", "us"}, [3]string{"d", "dev", "eu"}, [3]string{"e", "", "eu"}, [3]string{"f", "dev", "us"})
	before := fleetWith([3]string{"gone", "prod", "eu"})
	all := func(parent ID, clusters ...string) (out []*pair) {
		for _, c := range clusters {
			out = append(out, &pair{head: appOn("web-"+c, c, parent)})
		}
		return out
	}
	cases := map[string]struct {
		reason string
		pairs  []*pair
		want   string
	}{
		"One":         {"one goes by its name", all(set("web"), "a"), "web-a on a"},
		"Two":         {"two clusters are named", all(set("web"), "b", "a"), "web on a and b"},
		"Twice":       {"a cluster once", all(set("web"), "a", "a"), "web on a"},
		"Environment": {"more go by what they have in common", all(set("web"), "a", "b", "c"), "web on 3 prod clusters"},
		"Region":      {"the next that they have in common", all(set("web"), "a", "b", "d"), "web on 3 eu clusters"},
		"NotEmpty":    {"no label is nothing in common", all(set("web"), "a", "d", "e"), "web on 3 eu clusters"},
		"Few":         {"a few that have nothing in common are named", all(set("web"), "a", "c", "d", "f"), "web on a, c, d and f"},
		"Many":        {"many are counted", all(set("web"), "a", "b", "c", "d", "f"), "web on 5 clusters"},
		"TwoSets":     {"of several sets applications are counted", append(all(set("web"), "a"), all(set("db"), "a")...), "2 applications on a"},
		"NoSet":       {"what an application made is no set", all(ID{Kind: v1alpha1.ApplicationKind, Name: "root"}, "a", "b"), "2 applications on a and b"},
		"Gone":        {"a cluster that goes is known from before", all(set("web"), "a", "b", "gone"), "web on 3 prod clusters"},
		"Unknown":     {"nobody knows the cluster", all(set("web"), ""), "web- on unknown cluster"},
		"UnknownOf":   {"what is not known has nothing in common", all(set("web"), "a", "b", ""), "web on a, b and unknown cluster"},
	}
	c := &comparison{before: before, after: after}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.title(tc.pairs); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// What is left out of many causes is told, be it of one application or of several.
func TestCausesOfAGroupAreCounted(t *testing.T) {
	edits := func(from, to int) (out []forecast.Cause) {
		for i := from; i < to; i++ {
			out = append(out, forecast.Cause{Kind: causeFile, What: fmt.Sprint("file ", i)})
		}
		return out
	}
	cases := map[string]struct {
		reason string
		pairs  []*pair
		count  int
		last   string
	}{
		"None":     {"nothing is known", []*pair{{}}, 0, ""},
		"Same":     {"a cause of several is one", []*pair{{causes: edits(0, 3)}, {causes: edits(0, 3)}}, 3, "file 2"},
		"Fit":      {"all of them fit", []*pair{{causes: edits(0, 7)}, {causes: edits(5, maxCauses)}}, maxCauses, "file 11"},
		"OfOne":    {"one has more than are kept of it", []*pair{{causes: edits(0, maxCauses), moreCauses: 3}, {causes: edits(0, maxCauses), moreCauses: 3}}, maxCauses + 1, "3 more"},
		"Together": {"several have more together", []*pair{{causes: edits(0, 10)}, {causes: edits(8, 15)}, {causes: edits(13, 16)}}, maxCauses + 1, "4 more"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := causesOf(tc.pairs)
			if len(got) != tc.count || tc.count > 0 && got[len(got)-1].What != tc.last {
				t.Errorf("%s: %d causes are told: %v", tc.reason, len(got), got)
			}
		})
	}
}

func TestApplicationsWhoseObjectsStay(t *testing.T) {
	app := func(server string, finalizers ...string) *App {
		a := appOn("web", "of "+server, ID{})
		a.Finalizers, a.Cluster.Server = finalizers, server
		return a
	}
	const own = v1alpha1.FinalizerResources
	cases := map[string]struct {
		reason     string
		base, head *App
		want       string
	}{
		"Goes":       {"with its objects", app("a", own), nil, ""},
		"Background": {"in another way", app("a", v1alpha1.FinalizerResourcesBackground), nil, ""},
		"Stays":      {"without a finalizer they stay", app("a", "other"), nil, "Application web has no finalizer " + own + ": its objects stay"},
		"Moves":      {"to another cluster", app("a", own), app("b", own), "Application web goes from cluster of a to of b: its objects on of a stay"},
		"Same":       {"it stays where it is", app("a"), app("a"), ""},
		"Unknown":    {"nobody knows where it was, or goes", app("", own), app("b", own), ""},
		"Comes":      {"one that comes leaves nothing", nil, app("b"), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, (&pair{base: tc.base, head: tc.head}).stays()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
