package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

func TestLosing(t *testing.T) {
	all := []object.Placed{
		{Name: "by-name", Cluster: "dev", Made: true},
		{Name: "by-server", Server: "https://10.0.0.1", Made: true},
		{Name: "by-hand", Cluster: "dev"},
		{Name: "elsewhere", Cluster: "prod", Made: true},
		{Name: "hub", Server: DefaultServer, Made: true},
	}
	for name, tc := range map[string]struct {
		reason, cluster, server string
		going, staying          []string
	}{
		"Both":     {"destinations name a cluster, or its address", "dev", "https://10.0.0.1", []string{"by-name", "by-server"}, []string{"by-hand"}},
		"Hub":      {"the hub's address works without its Secret", "hub", DefaultServer, nil, nil},
		"NoServer": {"a Secret that lost its address is not every cluster", "prod", "", []string{"elsewhere"}, nil},
		"NoName":   {"nor one that lost its name", "", "https://10.0.0.1", []string{"by-server"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			going, staying := losing(all, tc.cluster, tc.server)
			if diff := cmp.Diff([][]string{tc.going, tc.staying}, [][]string{going, staying}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
