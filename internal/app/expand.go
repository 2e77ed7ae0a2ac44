package app

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// mostParameters bounds what is shown of one Application's.
const mostParameters = 500

// Accounts of expansions that nothing is written by: each takes turns with the projects
// of sets, however many look.
const (
	looks   = "looks"
	bridges = "bridge"
	trials  = "trials"
)

// expand tells what an ApplicationSet gives now; nothing is written by that.
// That a set gives nothing is part of the answer.
func (i *Inspector) expand(ctx context.Context, set *v1alpha1.ApplicationSet) (*api.Expansion, error) {
	began := time.Now()
	clusters := i.fleet.Clusters()
	e, err := i.generator(listedClusters(clusters), generate.WithParameters(), generate.WithRoom(i.room), generate.WithAccount(looks)).Applications(ctx, set)
	defer e.Release()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out := &api.Expansion{At: began.UTC(), Applications: []api.GeneratedApp{}, Took: time.Since(began).Milliseconds()}
	if err != nil {
		out.Problem = err.Error()
	}
	mask := object.NewMasker(nil)
	if out.Spec, err = shownYAML(set.Spec, mask); err != nil {
		return nil, err
	}
	if e == nil {
		return out, nil
	}
	from := origins{clusters, e.Reads.Clusters}
	for j := range e.Applications {
		one, err := generated(&e.Applications[j], e.Params[j], e.Of[j], mask)
		if err != nil {
			return nil, err
		}
		from.tell(one, e.Params[j])
		out.Applications = append(out.Applications, *one)
	}
	for _, r := range e.Rejected {
		all := refusedOf(r, mask)
		for j := range all {
			from.tell(&all[j], r.Params[j])
		}
		out.Applications = append(out.Applications, all...)
	}
	for _, w := range e.Warnings {
		out.Warnings = append(out.Warnings, w.Message)
	}
	return out, nil
}

// origins are the clusters that parameters may be of, where a set reads any.
type origins struct {
	clusters []gitops.Cluster
	read     bool
}

// tell adds whose parameters made an Application. Where that is not exactly one
// cluster, as with flatList, they may have those of any. A set that reads no clusters
// has none of theirs.
func (o origins) tell(app *api.GeneratedApp, params generate.Params) {
	if !o.read {
		return
	}
	server, _ := params["server"].(string)
	at := slices.IndexFunc(o.clusters, func(c gitops.Cluster) bool { return c.Name == app.Cluster && gitops.SameServer(c.Server, server) })
	if at >= 0 {
		app.Server, app.ClusterProject = o.clusters[at].Server, o.clusters[at].Project
	}
	app.Fleet = at < 0 || params.Flat()
}

func generated(app *v1alpha1.Application, params generate.Params, cluster string, mask object.Masker) (*api.GeneratedApp, error) {
	text, err := shownYAML(app, mask)
	return &api.GeneratedApp{Name: app.Name, Project: app.Spec.GetProject(), Cluster: cluster, Parameters: flat(params, mask), Manifest: text}, err
}

// shownYAML is a value without what is secret by its name, and without a status.
func shownYAML(value any, mask object.Masker) (string, error) {
	var tree map[string]any
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &tree)
	}
	if err != nil {
		return "", err
	}
	delete(tree, "status")
	out, err := yaml.Marshal(mask.Value(nil, tree))
	return string(out), err
}

// refusedOf are the Applications of a name that are not created.
func refusedOf(r generate.Rejected, mask object.Masker) []api.GeneratedApp {
	var out []api.GeneratedApp
	for _, p := range r.Params {
		one := api.GeneratedApp{Name: r.Name, Cluster: clusterOfParams(p), Problem: problemText(r.Err), Parameters: flat(p, mask)}
		if r.Application != nil {
			one.Project = r.Application.Spec.GetProject()
			one.Manifest, _ = shownYAML(r.Application, mask) // what cannot be shown is left out; the problem says why it is refused
		}
		out = append(out, one)
	}
	return out
}

func clusterOfParams(p generate.Params) string {
	name, _ := p["name"].(string)
	if _, ok := p["server"].(string); !ok {
		return ""
	}
	return name
}

func problemText(err error) string {
	if err == nil {
		err = errors.New("it is not created")
	}
	return err.Error()
}

// flat are parameters by dotted names, whatever the template's language.
func flat(params generate.Params, mask object.Masker) map[string]string {
	all := flattening{out: map[string]string{}, names: mostNames}
	shown, _ := mask.Value(nil, map[string]any(params)).(map[string]any)
	all.add(nil, shown)
	return all.out
}

// mostNames are the bytes of the names that a set of parameters is shown with:
// each has those of all above it.
const mostNames = 1 << 20

// flattening is a value whose leaves are put under dotted names, as long as they
// are not too many.
type flattening struct {
	out   map[string]string
	names int // bytes that are left for them
}

// add adds a value. All below it write over what follows its path.
func (f *flattening) add(path []byte, value any) {
	if len(f.out) >= mostParameters || f.names < 0 {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			f.add(append(below(path), key...), v[key])
		}
	case []any:
		for i, item := range v {
			f.add(strconv.AppendInt(below(path), int64(i), 10), item) //nolint:mnd // decimal
		}
	case string:
		f.leaf(path, v)
	default:
		if text, err := json.Marshal(v); err == nil {
			f.leaf(path, string(text))
		}
	}
}

func (f *flattening) leaf(path []byte, text string) {
	if f.names -= len(path); f.names >= 0 {
		f.out[string(path)] = text
	}
}

// below is the start of the path of what is in a value.
func below(path []byte) []byte {
	if len(path) == 0 {
		return nil
	}
	return append(path, '.')
}
