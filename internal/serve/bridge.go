package serve

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Times of the bridge: to work it out is to expand every set.
const (
	// bridgeFor is how long it is believed.
	bridgeFor = 20 * time.Second
	// bridgeShown is how long it is shown while a new one is worked out.
	bridgeShown = 5 * time.Minute
	// bridgeTime bounds the work.
	bridgeTime = time.Minute
)

// bridger works out the bridge for the API, for all who ask at a time once.
type bridger struct {
	// make works it out, for no single one of those who ask: each may go away.
	make func() (*api.Bridge, error)
	now  func() time.Time
	// in expands and renders for previews, hidden are annotations of Secrets
	// whose values nobody is shown.
	in        Bridge
	hidden    func() []string
	namespace string
	// trials are the previews under way, which hold much: one at a time.
	trials *slots.Slots
	// guard judges what sets would delete of those that hub has.
	guard Guard
	hub   client.Reader

	making singleflight.Group
	known  atomic.Pointer[api.Bridge]
	facts  *facts
}

// newBridger makes one that works as long as ctx lasts.
func newBridger(ctx context.Context, o *Options) *bridger {
	return &bridger{now: time.Now, in: o.Bridge, hidden: o.Hidden, namespace: o.Namespace, trials: slots.New(1), guard: o.Guard, hub: o.Client, facts: newFacts(ctx, o.Facts), make: func() (*api.Bridge, error) {
		bounded, cancel := context.WithTimeout(ctx, bridgeTime)
		defer cancel()
		return bridgeOf(bounded, o.Bridge, time.Now())
	}}
}

// Bridge tells what is known of clusters, and who reads it.
func (b *bridger) Bridge(ctx context.Context) (*api.Bridge, error) {
	known := b.known.Load()
	if b.isWithin(known, bridgeFor) {
		return known, nil
	}
	made := b.making.DoChan("", func() (any, error) {
		var out *api.Bridge
		err := crew.Safely(func() (err error) {
			out, err = b.make()
			return err
		})
		if err == nil {
			b.known.Store(out)
		}
		return out, err
	})
	if b.isWithin(known, bridgeShown) {
		return known, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case m := <-made:
		out, _ := m.Val.(*api.Bridge)
		return out, m.Err
	}
}

func (b *bridger) isWithin(known *api.Bridge, age time.Duration) bool {
	return known != nil && b.now().Sub(known.At) < age
}

// bridgeOf works out the bridge.
func bridgeOf(ctx context.Context, in Bridge, now time.Time) (*api.Bridge, error) {
	fleet, err := in.Outline(ctx)
	if err != nil {
		return nil, err
	}
	schemas, err := in.Schemas(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.Bridge{At: now.UTC(), Clusters: []api.BridgeCluster{}}
	sets := map[string]api.BridgeSet{}
	for i := range fleet.Sets {
		set := &fleet.Sets[i]
		sets[set.Name] = api.BridgeSet{Namespace: set.Namespace, Name: set.Name, Project: set.Spec.Template.Spec.GetProject()}
		if set.Err != nil {
			out.Failures = append(out.Failures, api.BridgeFailure{Set: sets[set.Name], Reason: set.Err.Error()})
		}
	}
	// Reports are in the order of the clusters: several may have one name.
	for i, r := range bridge.Overview(fleet.Clusters, fleet.Sets, schemas) {
		out.Clusters = append(out.Clusters, bridgeCluster(&r, fleet.Clusters[i].Project, sets))
	}
	return out, nil
}

func bridgeCluster(r *bridge.ClusterReport, project string, sets map[string]api.BridgeSet) api.BridgeCluster {
	out := api.BridgeCluster{Name: r.Name, Server: r.Server, Secret: r.Secret, Project: project, Keys: []api.BridgeKey{}, Missing: []api.BridgeKey{}}
	for i := range r.Keys {
		k := &r.Keys[i]
		out.Keys = append(out.Keys, api.BridgeKey{
			In: string(k.In), Name: k.Name, Value: k.Value, Type: string(k.Type), Schema: k.Schema, SetBy: k.SetBy.Manager, SetAt: k.SetBy.Time, Source: k.SetBy.Source,
			Metadata: k.SetBy.Metadata, Problem: k.Problem, Readers: readersOf(k.Readers, sets),
		})
	}
	for i := range r.Missing {
		m := &r.Missing[i]
		out.Missing = append(out.Missing, api.BridgeKey{In: string(m.In), Name: m.Name, Nearest: m.Nearest, Readers: readersOf(m.Readers, sets)})
	}
	return out
}

func readersOf(all []bridge.Reader, sets map[string]api.BridgeSet) []api.BridgeReader {
	out := make([]api.BridgeReader, 0, len(all))
	for _, r := range all {
		out = append(out, api.BridgeReader{Set: r.Set, Where: r.Where, Selects: r.Selects, Loops: r.Loops, Applications: r.Applications, From: sets[r.Set]})
	}
	return out
}
