package why

import (
	"cmp"
	"context"
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// ofServer prints the bridge as a server tells it: the sets and applications
// that one may read.
func (b *bridgeFlags) ofServer(ctx context.Context, cluster string) error {
	h, err := target.ReachWithout(b.Global, b.Mirrors)
	if err != nil {
		return err
	}
	all, err := h.Server.Bridge(ctx)
	if err != nil {
		return h.Explain(err)
	}
	for _, f := range all.Failures {
		if _, err := fmt.Fprintf(b.Err, "warning: %s\n", screen.Words(f)); err != nil {
			return err
		}
	}
	if cluster != "" {
		return b.oneOfServer(ctx, h, all.Clusters, cluster)
	}
	if table.Tabular(b.output) {
		counts := make([]bridgeCount, 0, len(all.Clusters))
		for _, c := range all.Clusters {
			counts = append(counts, bridgeCount{c.Name, c.Keys, c.Unread, c.Missing, c.Wrong})
		}
		return b.printCounts(counts)
	}
	reports := make([]bridge.ClusterReport, 0, len(all.Clusters))
	for i := range all.Clusters {
		c, _, err := clusterOf(ctx, h, &all.Clusters[i])
		if err != nil {
			return err
		}
		reports = append(reports, *reportOf(c))
	}
	return table.PrintValue(b.Out, b.output, reports)
}

func (b *bridgeFlags) oneOfServer(ctx context.Context, h *target.Hub, all []api.BridgeSummary, name string) error {
	i, err := pick(&b.Flags, clustersOf(all), name)
	if err != nil {
		return err
	}
	c, called, err := clusterOf(ctx, h, &all[i])
	if err != nil {
		return err
	}
	r := reportOf(c)
	// A server of before knows nothing of facts.
	told, err := h.Server.FactsOf(ctx, called)
	if err != nil {
		r.Untold = h.Explain(err).Error()
		return b.printOne(*r)
	}
	for _, f := range told.Facts {
		r.Facts = append(r.Facts, bridge.Fact{Name: f.Name, Value: f.Value, Type: bridge.Type(f.Type), Source: f.Source})
	}
	r.Untold = told.Untold
	return b.printOne(*r)
}

// clustersOf are the clusters that a server counts the keys of, to find one among them.
func clustersOf(all []api.BridgeSummary) []bridge.Cluster {
	out := make([]bridge.Cluster, 0, len(all))
	for _, c := range all {
		out = append(out, bridge.Cluster{Cluster: gitops.Cluster{Name: c.Name, Server: c.Server, Secret: c.Secret}})
	}
	return out
}

// clusterOf asks the server of one cluster, and tells what it is called there. Those
// that share a name have Secrets of their own.
func clusterOf(ctx context.Context, h *target.Hub, of *api.BridgeSummary) (c *api.BridgeCluster, called string, err error) {
	called = of.Name
	c, err = h.Server.BridgeOf(ctx, called)
	if err == nil && c.Secret != of.Secret {
		called = cmp.Or(of.Secret, of.Name)
		c, err = h.Server.BridgeOf(ctx, called)
	}
	if err != nil {
		return nil, "", h.Explain(err)
	}
	return c, called, nil
}

func reportOf(c *api.BridgeCluster) *bridge.ClusterReport {
	r := &bridge.ClusterReport{Name: c.Name, Server: c.Server, Secret: c.Secret, Keys: []bridge.KeyReport{}, Missing: []bridge.MissingKey{}}
	for i := range c.Keys {
		k := &c.Keys[i]
		r.Keys = append(r.Keys, bridge.KeyReport{
			Key: bridge.Key{In: bridge.Place(k.In), Name: k.Name}, Value: k.Value, Type: bridge.Type(k.Type), Schema: k.Schema,
			SetBy: bridge.Setter{Manager: k.SetBy, Time: k.SetAt, Source: k.Source}, Readers: readersOf(k.Readers), Problem: k.Problem,
		})
	}
	for i := range c.Missing {
		m := &c.Missing[i]
		r.Missing = append(r.Missing, bridge.MissingKey{Key: bridge.Key{In: bridge.Place(m.In), Name: m.Name}, Readers: readersOf(m.Readers), Nearest: m.Nearest})
	}
	return r
}

func readersOf(all []api.BridgeReader) []bridge.Reader {
	var out []bridge.Reader
	for _, r := range all {
		out = append(out, bridge.Reader{Set: r.Set, Where: r.Where, Selects: r.Selects, Loops: r.Loops, Applications: r.Applications})
	}
	return out
}

// servedValues are the Helm values of an application, with secrets masked by
// the server, which knows more of them. It is told why it shows none.
func servedValues(ctx context.Context, o *checkout.Flags, h *target.Hub, application *v1alpha1.Application) (valuesOf, error) {
	found, err := h.Server.Parameters(ctx, target.KeyOf(application))
	if err != nil {
		return valuesOf{}, h.Explain(err)
	}
	if found.Masked != "" {
		if _, err := fmt.Fprintf(o.Err, "warning: no value is shown: %s\n", screen.Words(found.Masked)); err != nil {
			return valuesOf{}, err
		}
	}
	out := valuesOf{masker: redact.Masker{}}
	for _, s := range found.Sources {
		if s.Type != string(gitops.SourceHelm) {
			continue
		}
		one := render.SourceValues{Source: s.Index, Type: gitops.SourceHelm}
		for _, v := range s.Values {
			one.Values = append(one.Values, valueOf(v))
		}
		out.values = append(out.values, one)
	}
	return out, nil
}

func valueOf(p api.Parameter) gitops.Value {
	v := gitops.Value{Path: p.Path}
	for _, l := range p.Layers {
		v.Layers = append(v.Layers, gitops.Layer{Kind: gitops.LayerKind(l.Kind), Name: l.Name, Origin: target.OriginOf(l.Where), Value: l.Value})
	}
	return v
}
