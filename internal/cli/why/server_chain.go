package why

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// ofServer answers from a server what one may read there. Secrets are masked by
// the server, which knows more of them.
func (w *whyChainFlags) ofServer(ctx context.Context, text string) error {
	h, err := target.ReachWithout(w.Global, w.Mirrors)
	if err != nil {
		return err
	}
	if w.value == "" {
		return w.keyOfServer(ctx, h, text)
	}
	application, err := h.Application(ctx, text)
	if err != nil {
		return err
	}
	object, path, isField := strings.Cut(w.value, ":")
	if isField && strings.Contains(object, "/") {
		found, err := h.Server.Field(ctx, target.KeyOf(application), object, strings.TrimPrefix(path, "."))
		if err != nil {
			return h.Explain(err)
		}
		trace := servedOrigin(application.Name, found.Keys, func(*api.ParameterKey) bool { return true })
		trace.Object, trace.Path, trace.Value, trace.Where = found.Object, found.Path, found.Value, found.Where
		return w.printField(trace)
	}
	found, err := servedValues(ctx, &w.Flags, h, application)
	if err != nil {
		return err
	}
	all := explain(found, w.value)
	if len(all) == 0 {
		return nothing(found.values, application.Name, w.value)
	}
	keys, err := h.Server.ParameterKeys(ctx, target.KeyOf(application))
	if err != nil {
		return h.Explain(err)
	}
	return w.printHelm(all, servedOrigin(application.Name, keys, func(k *api.ParameterKey) bool { return leadsTo(k, all) }))
}

// leadsTo reports whether one of the values follows a key; where the key says what
// is fetched, any may.
func leadsTo(k *api.ParameterKey, all []explained) bool {
	if len(k.Values) == 0 {
		return true
	}
	return slices.ContainsFunc(all, func(e explained) bool {
		return slices.Contains(k.Values, strconv.Itoa(e.Source)+":"+e.Path)
	})
}

// hiddenKeys is why a server names no keys.
const hiddenKeys = "you may not read its cluster or its ApplicationSet, so the server names no keys that it follows"

func servedOrigin(app string, keys *api.ParameterKeys, follows func(*api.ParameterKey) bool) *bridge.FieldTrace {
	out := &bridge.FieldTrace{Application: app, Set: keys.Set, Cluster: keys.Cluster, Tried: keys.Tried, Notes: keys.Notes, Keys: []bridge.KeyOrigin{}}
	if keys.Hidden {
		out.Notes = append(out.Notes, hiddenKeys)
	}
	for i := range keys.Keys {
		k := &keys.Keys[i]
		if !follows(k) {
			continue
		}
		one := bridge.KeyOrigin{Key: bridge.Key{In: bridge.Place(k.In), Name: k.Name}, Value: k.Value, SetBy: bridge.Setter{Manager: k.SetBy, Time: k.SetAt}, Parameters: []bridge.FieldChange{}}
		for _, path := range k.Through {
			one.Parameters = append(one.Parameters, bridge.FieldChange{Path: path})
		}
		out.Keys = append(out.Keys, one)
	}
	return out
}

// keyOfServer answers CLUSTER/KEY.
func (w *whyChainFlags) keyOfServer(ctx context.Context, h *target.Hub, text string) error {
	all, err := h.Server.Bridge(ctx)
	if err != nil {
		return h.Explain(err)
	}
	clusters := clustersOf(all.Clusters)
	cluster, name, err := splitKey(clusters, text)
	if err != nil {
		return err
	}
	i, err := pick(&w.Flags, clusters, cluster)
	if err != nil {
		return err
	}
	found, called, err := clusterOf(ctx, h, &all.Clusters[i])
	if err != nil {
		return err
	}
	report := reportOf(found)
	keys, err := bridge.Fleet{Clusters: []bridge.Cluster{labelled(report)}}.Find(found.Name, name)
	if err != nil {
		return err
	}
	traces, warned := make([]*bridge.KeyTrace, 0, len(keys)), map[string]bool{}
	for _, k := range keys {
		at := slices.IndexFunc(report.Keys, func(r bridge.KeyReport) bool { return r.Key == k })
		if at < 0 {
			return command.Usagef("cluster %s has no %s", found.Name, k)
		}
		trace, err := w.traceByServer(ctx, h, called, &report.Keys[at], warned)
		if err != nil {
			return err
		}
		trace.Cluster = found.Name
		traces = append(traces, trace)
	}
	return w.printKeys(traces)
}

// labelled is the cluster of a report with its keys, to find them as those of a hub.
func labelled(r *bridge.ClusterReport) bridge.Cluster {
	c := bridge.Cluster{Cluster: gitops.Cluster{Name: r.Name, Server: r.Server, Secret: r.Secret, Labels: map[string]string{}, Annotations: map[string]string{}}}
	for i := range r.Keys {
		k := &r.Keys[i]
		if k.In == bridge.Label {
			c.Labels[k.Name] = k.Value
			continue
		}
		c.Annotations[k.Name] = k.Value
	}
	return c
}

// traceByServer has the server suppose another value of a key. What was warned of
// once is not again.
func (w *whyChainFlags) traceByServer(ctx context.Context, h *target.Hub, cluster string, k *bridge.KeyReport, warned map[string]bool) (*bridge.KeyTrace, error) {
	out := &bridge.KeyTrace{Key: k.Key, Value: k.Value, Type: k.Type, SetBy: k.SetBy, Instead: instead(k), Readers: []bridge.SetTrace{}}
	found, err := h.Server.PreviewBridge(ctx, &api.BridgeWish{Cluster: cluster, Edits: []api.BridgeEdit{{In: string(k.In), Name: k.Name, Value: out.Instead}}})
	if err != nil {
		return nil, h.Explain(err)
	}
	problems, err := w.problemsOf(found.Failures, k.Readers, warned)
	if err != nil {
		return nil, err
	}
	follow := map[string][]bridge.AppTrace{}
	for i := range found.Applications {
		follow[found.Applications[i].Set] = append(follow[found.Applications[i].Set], servedApp(&found.Applications[i]))
	}
	for _, r := range k.Readers {
		out.Readers = append(out.Readers, bridge.SetTrace{Reader: r, Follow: append([]bridge.AppTrace{}, follow[r.Set]...), Problem: problems[r.Set]})
		delete(follow, r.Set)
	}
	for _, set := range slices.Sorted(maps.Keys(follow)) { // the empty one is of sets that one may not read
		out.Readers = append(out.Readers, bridge.SetTrace{Reader: bridge.Reader{Set: set}, Follow: follow[set]})
	}
	maskFields(out)
	return out, nil
}

// instead is a value that a key could have: a label takes no more than so many bytes.
func instead(k *bridge.KeyReport) string {
	other := bridge.Instead(k.Value)
	if over := len(other) - validation.LabelValueMaxLength; k.In == bridge.Label && over > 0 {
		return bridge.Instead(strings.TrimRight(k.Value[:len(k.Value)-over], "-_."))
	}
	return other
}

// problemsOf are why sets that read a key give nothing with another value; of
// other sets it warns.
func (w *whyChainFlags) problemsOf(failures []string, readers []bridge.Reader, warned map[string]bool) (map[string]string, error) {
	out := map[string]string{}
	for _, f := range failures {
		set, why, _ := strings.Cut(f, ": ")
		if slices.ContainsFunc(readers, func(r bridge.Reader) bool { return r.Set == set }) {
			out[set] = why
			continue
		}
		if warned[f] {
			continue
		}
		warned[f] = true
		if _, err := fmt.Fprintf(w.Err, "warning: %s\n", screen.Words(f)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// servedApp is what becomes of an application, in the words of a trace.
func servedApp(a *api.BridgeApplication) bridge.AppTrace {
	out := bridge.AppTrace{Application: a.Name, Effect: a.Effect, Note: a.Note, Parameters: changesOf(a.Fields)}
	if a.Effect == "kept" { // the set yields it no more
		out.Effect = "removed"
	}
	verbs := map[string]string{"create": "added", "prune": "removed", "keep": "removed", "update": "changed"}
	for i := range a.Objects {
		o := &a.Objects[i]
		out.Objects = append(out.Objects, bridge.ObjectTrace{
			Object: gitops.ObjectPath(o.Kind, o.Namespace, o.Name), Effect: verbs[o.Verb], Where: o.Origin, Fields: changesOf(o.Changes),
		})
	}
	return out
}

func changesOf(all []api.Change) []bridge.FieldChange {
	var out []bridge.FieldChange
	for _, c := range all {
		out = append(out, bridge.FieldChange{Path: c.Path, Before: c.Old, After: c.New})
	}
	return out
}
