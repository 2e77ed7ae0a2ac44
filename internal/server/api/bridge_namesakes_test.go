package api

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// What would become of a cluster is told of one that somebody may read, whatever
// others are called.
func TestPreviewIsOfAClusterThatMayBeRead(t *testing.T) {
	of := func(secrets ...string) *Bridge {
		b := &Bridge{}
		for _, s := range secrets {
			b.Clusters = append(b.Clusters, BridgeCluster{Name: "prod", Secret: s})
		}
		return b
	}
	cases := map[string]struct {
		reason     string
		seen       *Bridge
		name       string
		want, says string
	}{
		"One":       {"another one, whose Secret is called prod, may not be read", of("a-prod"), "prod", "a-prod", ""},
		"Its Own":   {"of several it is the one whose Secret is called so", of("a-prod", "prod"), "prod", "prod", ""},
		"By Secret": {"the Secret is what tells them apart", of("a-prod", "b-prod"), "b-prod", "b-prod", ""},
		"Several":   {"which one is meant is not known", of("a-prod", "b-prod"), "prod", "", "name the Secret instead, as a-prod"},
		"None":      {"it is not there, or may not be read", of("a-prod"), "dev", "", "there is no cluster dev"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := tc.seen.secretOf(tc.name)
			if got != tc.want || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: %q, %v", tc.reason, got, err)
			}
		})
	}
}

// A label of a cluster says nothing of an Application on another one of its name.
func TestLabelsOfNamesakes(t *testing.T) {
	prod := map[string]string{"environment": "prod"}
	got := labelsOf([]clusters.Health{{Name: "a", Labels: prod}, {Name: "twin", Labels: prod}, {Name: "twin", Labels: prod}, {Name: "twin", Labels: prod}})
	if got["a"]["environment"] != "prod" || got["twin"] != nil {
		t.Errorf("they say %v", got)
	}
}

// A key is unread for who may read none of the sets that read it: that there are
// others is nothing that a count tells.
func TestOverviewCountsWhatIsSeen(t *testing.T) {
	reader := func(set string) BridgeReader {
		return BridgeReader{Set: set, From: BridgeSet{Namespace: "argocd", Name: set}}
	}
	b := &Bridge{Clusters: []BridgeCluster{{Name: "dev", Keys: []BridgeKey{
		{Name: "mine", Readers: []BridgeReader{reader("hidden"), reader("seen")}}, {Name: "theirs", Readers: []BridgeReader{reader("hidden")}}, {Name: "spare"},
	}}}}
	for seen, want := range map[string]int{"seen": 2, "hidden": 1, "none": 3} {
		v := &sight{set: func(s BridgeSet) bool { return s.Name == seen }, application: func(string) bool { return false }, asked: map[BridgeSet]bool{}}
		if got := b.overview(v).Clusters[0].Unread; got != want {
			t.Errorf("who reads the set %s is told of %d keys that nobody reads, want %d", seen, got, want)
		}
	}
}
