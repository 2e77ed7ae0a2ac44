package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func TestWhoseParameters(t *testing.T) {
	clusters := []gitops.Cluster{{Name: "dev", Server: "https://dev", Project: "red"}, {Name: "vault", Server: "https://vault", Project: "blue"}}
	cases := map[string]struct {
		reason  string
		params  generate.Params
		read    bool
		project string
		fleet   bool
	}{
		"One":       {"those of one cluster", generate.Params{"name": "dev", "server": "https://dev", "metadata": map[string]any{}}, true, "red", false},
		"Flat":      {"a list is of all", generate.Params{"clusters": []map[string]any{{"name": "vault"}}}, true, "", true},
		"FlatFast":  {"also by dotted names", generate.Params{"clusters.0.name": "vault"}, true, "", true},
		"Besides":   {"also beside one cluster", generate.Params{"name": "dev", "server": "https://dev", "clusters": "x"}, true, "red", true},
		"Renamed":   {"what another generator called otherwise is of nobody knows which", generate.Params{"name": "dev", "server": "https://vault"}, true, "", true},
		"None":      {"as is what names none", generate.Params{"path": "a"}, true, "", true},
		"NotRead":   {"a set that reads no clusters tells of none", generate.Params{"path": "a", "clusters": "a"}, false, "", false},
		"NamedByIt": {"also where a file names one", generate.Params{"name": "dev", "server": "https://dev"}, false, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			one := &api.GeneratedApp{Cluster: clusterOfParams(tc.params)}
			origins{clusters, tc.read}.tell(one, tc.params)
			if one.ClusterProject != tc.project || one.Fleet != tc.fleet {
				t.Errorf("%s: of project %q, of all %t", tc.reason, one.ClusterProject, one.Fleet)
			}
		})
	}
}

// TestDeepParametersAreShownInPart: each of them has all keys above it in its name.
func TestDeepParametersAreShownInPart(t *testing.T) {
	var value any = slices.Repeat([]any{0.0}, mostParameters)
	for range 100 {
		value = map[string]any{strings.Repeat("a", 1000): value}
	}
	deep, _ := value.(map[string]any)
	names := 0
	for name := range flat(deep, object.NewMasker(nil)) {
		names += len(name)
	}
	if names == 0 || names > mostNames {
		t.Errorf("the names have %d bytes", names)
	}
	shown := flat(generate.Params{"a": map[string]any{"b": []any{"x", 1.0}}}, object.NewMasker(nil))
	if diff := cmp.Diff(map[string]string{"a.b.0": "x", "a.b.1": "1"}, shown); diff != "" {
		t.Error(diff)
	}
}
