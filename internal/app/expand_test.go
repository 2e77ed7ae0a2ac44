package app

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
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
