package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// BridgeFleetKey is a key across all clusters, counted.
type BridgeFleetKey struct {
	In       string   `json:"in" enum:"label,annotation"`
	Name     string   `json:"name"`
	Clusters int      `json:"clusters" doc:"How many have it."`
	Values   int      `json:"values" doc:"How many different values it has."`
	Missing  int      `json:"missing" doc:"On how many clusters it is read and not there."`
	Wrong    int      `json:"wrong" doc:"On how many clusters a schema has something against it."`
	Readers  []string `json:"readers" doc:"ApplicationSets that read it on some cluster."`
}

// BridgeAcross is one key on all clusters.
type BridgeAcross struct {
	In       string             `json:"in" enum:"label,annotation"`
	Name     string             `json:"name"`
	Clusters []BridgeKeyCluster `json:"clusters"`
}

// BridgeKeyCluster is a key as one cluster has it, or misses it.
type BridgeKeyCluster struct {
	Cluster string    `json:"cluster"`
	Missing bool      `json:"missing,omitempty" doc:"It is read and not there."`
	Value   string    `json:"value,omitempty"`
	Cut     bool      `json:"cut,omitempty" doc:"The value goes on; the cluster's own page has all of it."`
	SetBy   string    `json:"setBy,omitempty"`
	SetAt   time.Time `json:"setAt,omitzero"`
	Problem string    `json:"problem,omitempty"`
}

// shownValue bounds a value where there is one of each cluster, in bytes.
const shownValue = 1 << 10

type bridgeKeyInput struct {
	In   string `query:"in" enum:"label,annotation" required:"true"`
	Name string `query:"name" minLength:"1" maxLength:"317" required:"true" doc:"Name of the key, with its prefix."`
}

func (s *server) bridgeKeys(a huma.API) {
	handle(a, operation("get-bridge-key", http.MethodGet, "/bridge-key", "bridge", "One key of the metadata, on all clusters"), s.bridgeKey)
}

// seenBridge is the bridge as somebody may see it.
func (s *server) seenBridge(ctx context.Context) (*Bridge, *sight, error) {
	b, err := s.mayBridge(ctx)
	if err != nil {
		return nil, nil, err
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, nil, httpError(err)
	}
	return b, s.sight(ctx, visible), nil
}

func (s *server) bridgeKey(ctx context.Context, in *bridgeKeyInput) (*answer[*BridgeAcross], error) {
	b, sight, err := s.seenBridge(ctx)
	if err != nil {
		return nil, err
	}
	out := &BridgeAcross{In: in.In, Name: in.Name, Clusters: []BridgeKeyCluster{}}
	is := func(k BridgeKey) bool { return k.In == in.In && k.Name == in.Name }
	for i := range b.Clusters {
		c := &b.Clusters[i]
		if j := slices.IndexFunc(c.Keys, is); j >= 0 {
			out.Clusters = append(out.Clusters, keyOn(c.Name, &c.Keys[j]))
			continue
		}
		if j := slices.IndexFunc(c.Missing, is); j >= 0 && sight.reads(c.Missing[j].Readers) {
			out.Clusters = append(out.Clusters, BridgeKeyCluster{Cluster: c.Name, Missing: true})
		}
	}
	if len(out.Clusters) == 0 {
		return nil, httpError(gitops.Problemf(gitops.NotFound, "no cluster has the %s %s, and none misses it", in.In, in.Name))
	}
	return &answer[*BridgeAcross]{out}, nil
}

func keyOn(cluster string, k *BridgeKey) BridgeKeyCluster {
	out := BridgeKeyCluster{Cluster: cluster, Value: k.Value, SetBy: k.SetBy, SetAt: k.SetAt, Problem: k.Problem}
	if len(out.Value) > shownValue {
		out.Value, out.Cut = strings.ToValidUTF8(out.Value[:shownValue], ""), true
	}
	return out
}

// tally counts the keys of all clusters.
type tally struct {
	sight *sight
	keys  map[[2]string]*keyCount
}

type keyCount struct {
	BridgeFleetKey

	values  map[string]bool
	readers map[string]bool
}

// tallied counts the keys of the clusters that somebody sees, labels first, by name.
func tallied(clusters []BridgeCluster, sight *sight) []BridgeFleetKey {
	t := &tally{sight, map[[2]string]*keyCount{}}
	for i := range clusters {
		t.add(&clusters[i])
	}
	out := make([]BridgeFleetKey, 0, len(t.keys))
	for _, k := range t.keys {
		k.Values, k.Readers = len(k.values), make([]string, 0, len(k.readers))
		for name := range k.readers {
			k.Readers = append(k.Readers, name)
		}
		slices.Sort(k.Readers)
		out = append(out, k.BridgeFleetKey)
	}
	slices.SortFunc(out, func(a, b BridgeFleetKey) int {
		if a.In != b.In {
			return -strings.Compare(a.In, b.In)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

func (t *tally) add(c *BridgeCluster) {
	for i := range c.Keys {
		k := t.of(&c.Keys[i])
		k.Clusters++
		k.values[c.Keys[i].Value] = true
		if c.Keys[i].Problem != "" {
			k.Wrong++
		}
	}
	for i := range c.Missing {
		if t.sight.reads(c.Missing[i].Readers) {
			t.of(&c.Missing[i]).Missing++
		}
	}
}

func (t *tally) of(key *BridgeKey) *keyCount {
	id := [2]string{key.In, key.Name}
	k := t.keys[id]
	if k == nil {
		k = &keyCount{BridgeFleetKey{In: key.In, Name: key.Name}, map[string]bool{}, map[string]bool{}}
		t.keys[id] = k
	}
	for i := range key.Readers {
		if r := &key.Readers[i]; !k.readers[r.Set] && t.sight.of(r.From) {
			k.readers[r.Set] = true
		}
	}
	return k
}

// reads reports whether one of the sets that read a key may be read.
func (v *sight) reads(all []BridgeReader) bool {
	return slices.ContainsFunc(all, func(r BridgeReader) bool { return v.of(r.From) })
}
