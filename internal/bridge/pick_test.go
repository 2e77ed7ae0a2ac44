package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestClustersArePickedByNameOrSecret(t *testing.T) {
	cluster := func(name, secret string) Cluster {
		return Cluster{Cluster: gitops.Cluster{Name: name, Secret: secret}}
	}
	all := []Cluster{
		cluster("prod", "prod-secret"), cluster("twin", "one"), cluster("twin", "two"), cluster("heir", "first"), cluster("heir", "heir"),
		cluster("dev", "stage"), cluster("stage", "dev"), cluster("in-cluster", ""),
	}
	cases := map[string]struct {
		reason, name string
		want         int
		problem      string
	}{
		"Name":      {"a name", "prod", 0, ""},
		"Secret":    {"a Secret", "prod-secret", 0, ""},
		"Twins":     {"nobody knows which is meant", "twin", -1, `2 cluster Secrets have the name "twin": one, two; name the Secret instead, as one, and give each another data.name`},
		"OneOfTwo":  {"a Secret tells twins apart", "two", 2, ""},
		"Heir":      {"of several the one whose Secret is called so, too", "heir", 4, ""},
		"Crossed":   {"a name comes before a Secret", "dev", 5, ""},
		"NoSecret":  {"the hub's own cluster has none", "in-cluster", 7, ""},
		"Near":      {"what may be meant is told", "prot", -1, `there is no cluster "prot"; did you mean "prod"?`},
		"Far":       {"where nothing is near, the list helps", "elsewhere", -1, "there is no cluster \"elsewhere\"; name one of those that `causeway bridge` lists"},
		"Empty":     {"no name is not that of the cluster without Secret", "", -1, "there is no cluster"},
		"OtherCase": {"names are as they are written", "PROD", -1, "there is no cluster"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Pick(all, tc.name)
			if got != tc.want || (err != nil) != (tc.problem != "") {
				t.Fatalf("%s: picked %d, %v", tc.reason, got, err)
			}
			if err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.problem)
			}
		})
	}
	if _, err := Pick(nil, "prod"); !gitops.IsProblem(err, gitops.NotFound) {
		t.Errorf("of no clusters none is found: %v", err)
	}
}

func TestKeysAreFoundByTheirName(t *testing.T) {
	f := Fleet{Clusters: []Cluster{{Cluster: gitops.Cluster{Name: "prod", Secret: "prod",
		Labels:      map[string]string{"both": "l", "tier": "web"},
		Annotations: map[string]string{"both": "a", "region": "eu", "example.com/owner": "web", "labels.odd": "x"},
	}}}}
	cases := map[string]struct {
		reason, name string
		want         []Key
		problem      string
	}{
		"Label":       {"a bare name", "tier", []Key{{Label, "tier"}}, ""},
		"Annotation":  {"a bare name", "example.com/owner", []Key{{Annotation, "example.com/owner"}}, ""},
		"Both":        {"the label comes first", "both", []Key{{Label, "both"}, {Annotation, "both"}}, ""},
		"OneOfBoth":   {"the place tells them apart", "annotations.both", []Key{{Annotation, "both"}}, ""},
		"Parameter":   {"as templates write it", "metadata.labels.both", []Key{{Label, "both"}}, ""},
		"Odd":         {"a name that begins like a place", "labels.odd", []Key{{Annotation, "labels.odd"}}, ""},
		"NotThere":    {"a place and a name are a key, be it there or not", "labels.region", []Key{{Label, "region"}}, ""},
		"Unknown":     {"the nearest is told", "regions", nil, `cluster prod has no label or annotation regions; did you mean "region"?`},
		"NoName":      {"a place is no key", "labels.", nil, "has no label or annotation labels."},
		"NoNameAtAll": {"nothing is no key", "", nil, "has no label or annotation"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := f.Find("prod", tc.name)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if tc.problem == "" && err != nil || tc.problem != "" && (!gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), tc.problem)) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.problem)
			}
		})
	}
	if _, err := f.Find("dev", "tier"); err == nil || !strings.Contains(err.Error(), `no cluster "dev"`) {
		t.Errorf("a key of a cluster that is not there: %v", err)
	}
	if _, err := TraceKey(t.Context(), f, "prod", Key{Label, "teir"}); err == nil || !strings.Contains(err.Error(), `cluster prod has no label teir; did you mean "tier"?`) {
		t.Errorf("what follows from a key that is not there: %v", err)
	}
}
