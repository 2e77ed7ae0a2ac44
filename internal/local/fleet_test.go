package local

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

func TestNamesOfAFleet(t *testing.T) {
	many := make([]Cluster, maxClusters+1)
	for i := range many {
		many[i] = Cluster{Name: fmt.Sprint("c", i), Hub: i == 0}
	}
	for name, tc := range map[string]struct {
		reason string
		fleet  Fleet
		says   string
	}{
		"Most":      {"as many as one machine may carry", Fleet{Name: "f", Clusters: many[:maxClusters]}, ""},
		"TooMany":   {"one more is a slip", Fleet{Name: "f", Clusters: many}, "65 clusters are more than 64"},
		"NoName":    {"it has a folder", Fleet{Clusters: many[:1]}, `metadata.name: "" is no name`},
		"Above":     {"a name leads nowhere else", Fleet{Name: "..", Clusters: many[:1]}, `metadata.name: ".." is no name`},
		"Capital":   {"names of contexts are small", Fleet{Name: "f", Clusters: []Cluster{{Name: "Dev"}}}, `spec.clusters[0]: "Dev" is no name`},
		"DashAtEnd": {"Secrets have the name, too", Fleet{Name: "f", Clusters: []Cluster{{Name: "dev-"}}}, `spec.clusters[0]: "dev-" is no name`},
		"Line":      {"a line break ends no name", Fleet{Name: "f\n", Clusters: many[:1]}, "is no name"},
		"All":       {"each is told", Fleet{Name: "f", Clusters: []Cluster{{Name: "A"}, {Name: "b"}, {Name: "b"}}}, `spec.clusters[2]: a second cluster is named "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.fleet.check()
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
		})
	}
}

// TestTheOrderOfAFleet: who reads the status finds clusters as they are written.
func TestTheOrderOfAFleet(t *testing.T) {
	f := Fleet{Clusters: []Cluster{{Name: "z"}, {Name: "b"}, {Name: "hub", Hub: true}, {Name: "a"}}}
	if err := f.sortHub(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Cluster{{Name: "hub", Hub: true}, {Name: "z"}, {Name: "b"}, {Name: "a"}}, f.Clusters); diff != "" {
		t.Error(diff)
	}
}

// TestMirrorsOfACommand: a flag counts before the file.
func TestMirrorsOfACommand(t *testing.T) {
	f := Fleet{Mirrors: []mirror.Mirror{{URL: "https://b", Path: "/file"}, {URL: "https://c", Path: "/file"}}}
	f.AddMirrors([]mirror.Mirror{{URL: "https://b", Path: "/flag"}, {URL: "https://a", Path: "/flag"}})
	want := []mirror.Mirror{{URL: "https://a", Path: "/flag"}, {URL: "https://b", Path: "/flag"}, {URL: "https://c", Path: "/file"}}
	if diff := cmp.Diff(want, f.Mirrors); diff != "" {
		t.Error(diff)
	}
}
