package clustermetadata

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
)

// TestValuesThatCannotBeHad has what becomes of a key: it goes only when its
// value is known not to be there, and the key is optional.
func TestValuesThatCannotBeHad(t *testing.T) {
	resource := schema.GroupResource{Resource: "configmaps"}
	gone := unread("ConfigMap", "network", apierrors.NewNotFound(resource, "network"))
	denied := unread("ConfigMap", "network", apierrors.NewForbidden(resource, "network", errors.New("no")))
	away := unread("ConfigMap", "network", errors.New("connection refused"))
	key := bridge.Key{In: bridge.Annotation, Name: "region"}
	kept := []bridge.Wanted{{Key: key, Lost: true}}
	cases := map[string]struct {
		reason   string
		optional bool
		text     string
		err      error
		want     []bridge.Wanted
		problem  string
	}{
		"There":          {"it is written", false, "eu-1", nil, []bridge.Wanted{{Key: key, Value: "eu-1"}}, ""},
		"Empty":          {"empty is a value", false, "", nil, []bridge.Wanted{{Key: key}}, ""},
		"Gone":           {"it is told, and the key stays", false, "", gone, kept, "does not exist; the key keeps what it had"},
		"OptionalGone":   {"nobody needs it: the key goes", true, "", gone, nil, ""},
		"OptionalDenied": {"nobody knows whether it is there: the key stays", true, "", denied, kept, "bridge.sources of the chart"},
		"OptionalAway":   {"an outage takes no key away", true, "", away, kept, "cannot read ConfigMap network"},
		"OptionalLong":   {"a value that cannot be written is there", true, strings.Repeat("x", bridge.MaxValue+1), nil, kept, "bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var problems []bridge.Problem
			var wanted []bridge.Wanted
			add(causeway.MetadataValue{Key: "region", Optional: tc.optional}, "dev", tc.text, tc.err, &problems, &wanted)
			if diff := cmp.Diff(tc.want, wanted); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if tc.problem == "" && len(problems) > 0 || tc.problem != "" && (len(problems) != 1 || problems[0].Cluster != "dev" || !strings.Contains(problems[0].Message, tc.problem)) {
				t.Errorf("%s: told %+v", tc.reason, problems)
			}
		})
	}
}

// TestFactsOfOneCluster leaves the values that all clusters share alone.
func TestFactsOfOneCluster(t *testing.T) {
	fact := func(key string, f causeway.ClusterFact, optional bool) causeway.MetadataValue {
		return causeway.MetadataValue{Key: key, Optional: optional, From: &causeway.MetadataOrigin{Fact: f}}
	}
	at := func(name string) bridge.Key { return bridge.Key{In: bridge.Annotation, Name: name} }
	shared := make([]bridge.Wanted, 1, 8) // room that two clusters must not both write to
	shared[0] = bridge.Wanted{Key: at("team"), Value: "a"}
	v := values{wanted: shared, facts: []causeway.MetadataValue{fact("region", causeway.FactRegion, false), fact("zone", causeway.FactZone, true)}}
	tell := func(told map[causeway.ClusterFact]string, err error) reply {
		return reply{told: &Told{Nodes: told}, err: err}
	}
	out := &outcome{}
	dev := v.of(tell(map[causeway.ClusterFact]string{causeway.FactRegion: "eu-1", causeway.FactZone: "a"}, nil), "dev", out)
	silent := v.of(tell(map[causeway.ClusterFact]string{causeway.FactRegion: ""}, nil), "silent", out)
	down := v.of(tell(nil, errors.New("it does not answer")), "down", out)
	want := [][]bridge.Wanted{
		{shared[0], {Key: at("region"), Value: "eu-1"}, {Key: at("zone"), Value: "a"}},
		{shared[0], {Key: at("region"), Lost: true}},
		{shared[0], {Key: at("region"), Lost: true}, {Key: at("zone"), Lost: true}},
	}
	if diff := cmp.Diff(want, [][]bridge.Wanted{dev, silent, down}); diff != "" {
		t.Errorf("what each cluster gets (-want +got):\n%s", diff)
	}
	var told []string
	for _, p := range out.problems {
		told = append(told, p.Cluster+" "+p.Key.Name)
	}
	if diff := cmp.Diff([]string{"silent region", "down region", "down zone"}, told); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
}

// TestWhatAClusterServes: an API whose server is away is neither there nor gone.
func TestWhatAClusterServes(t *testing.T) {
	told := &Told{
		Version: "1.36.3",
		APIs:    []string{"apps/v1", "apps/v1/Deployment", "example.org/v1", "example.org/v1/thing", "example.org/v1beta1", "example.org/v1beta1/thing", "v1", "v1/Pod"},
		Silent:  []string{"metrics.k8s.io/v1"},
	}
	serves := func(version, kind string) *causeway.MetadataOrigin {
		return &causeway.MetadataOrigin{Serves: &causeway.ServedAPI{APIVersion: version, Kind: kind}}
	}
	for name, tc := range map[string]struct {
		from *causeway.MetadataOrigin
		want string // "!" and words of an error
	}{
		"Version":     {serves("example.org/v1", ""), "true"},
		"Kind":        {serves("v1", "Pod"), "true"},
		"NoKind":      {serves("apps/v1", "DaemonSet"), "false"},
		"NoVersion":   {serves("apps/v2", ""), "false"},
		"HalfVersion": {serves("apps", ""), "false"},
		"Silent":      {serves("metrics.k8s.io/v1", "PodMetrics"), "!what serves it does not answer"},
		"Kubernetes":  {&causeway.MetadataOrigin{Fact: causeway.FactKubernetesVersion}, "1.36.3"},
		"AllSilent":   {&causeway.MetadataOrigin{Fact: causeway.FactAPIVersions}, "!metrics.k8s.io/v1"},
		"NodesUntold": {&causeway.MetadataOrigin{Fact: causeway.FactRegion}, "!does not tell its region"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := told.value(tc.from)
			if words, fails := strings.CutPrefix(tc.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%q, %v; want an error with %q", got, err, words)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("%q, %v; want %q", got, err, tc.want)
			}
		})
	}
	told.Silent = nil
	if got, err := told.value(&causeway.MetadataOrigin{Fact: causeway.FactAPIVersions}); err != nil || got != "apps/v1,example.org/v1,example.org/v1beta1,v1" {
		t.Errorf("all APIs are %q, %v", got, err)
	}
}
