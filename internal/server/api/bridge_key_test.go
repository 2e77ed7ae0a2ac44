package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Long values are cut where there is one of each cluster, between letters.
func TestValuesOfAllClustersAreCut(t *testing.T) {
	k := keyOn("dev", &BridgeKey{Value: strings.Repeat("ä", shownValue)})
	if !k.Cut || len(k.Value) > shownValue || strings.Trim(k.Value, "ä") != "" {
		t.Errorf("%t, %d bytes", k.Cut, len(k.Value))
	}
	if k := keyOn("dev", &BridgeKey{Value: "eu"}); k.Cut || k.Value != "eu" {
		t.Errorf("got %+v", k)
	}
}

// A key is told of each cluster: of one that has it, and of one that misses it.
func TestBridgeKey(t *testing.T) {
	h := newWorld().handler()
	for query, want := range map[string]BridgeKeyCluster{
		"in=label&name=region":   {Cluster: "dev", Value: "eu"},
		"in=annotation&name=vpc": {Cluster: "dev", Missing: true},
	} {
		var got BridgeAcross
		if err := json.Unmarshal(send(t, h, "reader", "GET", "/bridge-key?"+query, "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Clusters) != 1 || got.Clusters[0] != want {
			t.Errorf("%s: %+v", query, got)
		}
	}
}

// listed are rights to the clusters that there are, and to no others that there may be.
type listed struct{ reach.Rights }

func (l listed) Permit(ctx context.Context, u *auth.User, a reach.Access) error {
	if a.Resource == "clusters" && a.Name == "*" {
		return gitops.Problemf(gitops.Forbidden, "%s may not read all clusters", u.Name)
	}
	return l.Rights.Permit(ctx, u, a)
}

// Where a ClusterMetadata has a value from names objects of any namespace: who may
// read one cluster is told the name of the ClusterMetadata.
func TestOriginsOfKeysByRights(t *testing.T) {
	const metadata = "ClusterMetadata net"
	const origin = metadata + " from Secret vault/vpc, key id"
	dev := BridgeCluster{Name: "dev", Keys: []BridgeKey{{In: "label", Name: "vpc", SetBy: "metadata", Source: origin, Metadata: metadata}}}
	prod := BridgeCluster{Name: "prod", Project: "platform"}
	for name, tc := range map[string]struct {
		reason   string
		clusters []BridgeCluster
		rights   func(reach.Rights) reach.Rights
		want     string
	}{
		"All":    {"who may read all clusters is told", []BridgeCluster{dev}, func(r reach.Rights) reach.Rights { return r }, origin},
		"Some":   {"one of them is hidden", []BridgeCluster{dev, prod}, func(r reach.Rights) reach.Rights { return r }, metadata},
		"Listed": {"all that there are is not all that there may be", []BridgeCluster{dev}, func(r reach.Rights) reach.Rights { return listed{r} }, metadata},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			o := w.options()
			o.Bridge, o.Rights = &toldBridge{w, &Bridge{Clusters: tc.clusters}}, tc.rights(w)
			var got BridgeCluster
			answer := send(t, as(New(o)), "reader", "GET", "/bridge/dev", "")
			if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || len(got.Keys) != 1 {
				t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
			}
			if got.Keys[0].Source != tc.want {
				t.Errorf("%s: the key comes from %q, want %q", tc.reason, got.Keys[0].Source, tc.want)
			}
		})
	}
}
