package inspect

import (
	"context"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Explainer tells where what applications are rendered with comes from.
type Explainer struct{ inspector *Inspector }

var _ api.Explainer = Explainer{}

// Explain tells where values come from.
func (i *Inspector) Explain() Explainer { return Explainer{i} }

// Parameters implements api.Explainer. They come from Git and the spec: of the
// cluster they need what it told last, and it is not waited for.
func (e Explainer) Parameters(ctx context.Context, app *v1alpha1.Application) (*api.Parameters, error) {
	in, silent, err := e.input(ctx, app)
	if err != nil {
		return nil, err
	}
	found, err := e.inspector.render.Parameters(ctx, in)
	if err != nil {
		return nil, err
	}
	mask, masked := e.masker(ctx, in, silent)
	sources := app.Spec.GetSources()
	out := &api.Parameters{Sources: []api.ParameterSource{}, Set: ownerOf(app), Masked: masked}
	for _, s := range found {
		spec := sources[s.Source]
		one := api.ParameterSource{Index: s.Source, RepoURL: spec.RepoURL, Path: spec.Path, Type: string(s.Type), Values: []api.Parameter{}}
		if spec.Chart != "" {
			one.Path = spec.Chart
		}
		for _, v := range s.Values {
			one.Values = append(one.Values, parameterOf(v, mask))
		}
		out.Sources = append(out.Sources, one)
	}
	return out, nil
}

// input is what an application is rendered from. Silent is why it is not known
// what its cluster serves.
func (e Explainer) input(ctx context.Context, app *v1alpha1.Application) (in render.Input, silent, err error) {
	a, err := e.inspector.admit(ctx, app)
	if err != nil {
		return in, nil, err
	}
	facts, silent := a.Cluster.Told(ctx)
	in, err = e.inspector.inputFor(ctx, a, facts)
	return in, silent, err
}

func (e Explainer) values(ctx context.Context, app *v1alpha1.Application) ([]render.SourceValues, error) {
	in, _, err := e.input(ctx, app)
	if err != nil {
		return nil, err
	}
	return e.inspector.render.Parameters(ctx, in)
}

// unrendered is why no value is shown of an application that cannot be rendered.
const unrendered = "the application cannot be rendered, so it is not known which values become those of Secrets; its conditions say why"

// tooManySecrets is why no value is shown of an application with more of them than can be
// looked for.
const tooManySecrets = "the application renders Secrets with more values than can be masked one by one"

// masker also knows the values of the Secrets that are rendered; where that
// fails, none is shown, and it says why.
func (e Explainer) masker(ctx context.Context, in render.Input, silent error) (mask redact.Masker, masked string) {
	if silent != nil {
		return redact.Opaque(), "it is not known what the cluster serves, so not either which values become those of Secrets: " + silent.Error()
	}
	rendering, err := e.inspector.render.Application(ctx, in)
	if err != nil {
		return redact.Opaque(), unrendered
	}
	known := redact.NewKnown(rendering.Hidden, rendering.Manifests)
	if known.Opaque() {
		masked = tooManySecrets
	}
	return redact.NewMasker(known), masked
}

func parameterOf(v gitops.Value, mask redact.Masker) api.Parameter {
	out := api.Parameter{Path: v.Path, Layers: make([]api.ParameterLayer, 0, len(v.Layers))}
	for _, l := range v.Layers {
		value := mask.Value(v.Path, l.Value)
		out.Value = value
		out.Layers = append(out.Layers, api.ParameterLayer{Kind: string(l.Kind), Name: l.Name, Where: l.Origin.String(), RepoURL: l.Origin.RepoURL, Value: value})
	}
	return out
}

// ownerOf is the ApplicationSet that made an application; empty for none.
func ownerOf(app *v1alpha1.Application) string {
	for _, ref := range app.OwnerReferences {
		if ref.Kind == v1alpha1.ApplicationSetKind {
			return ref.Name
		}
	}
	return ""
}

// Keys implements api.Explainer.
func (e Explainer) Keys(ctx context.Context, app *v1alpha1.Application) (*api.ParameterKeys, error) {
	out := &api.ParameterKeys{Keys: []api.ParameterKey{}}
	owner := ownerOf(app)
	if owner == "" {
		return out, nil
	}
	if _, err := e.inspector.admit(ctx, app); err != nil {
		return nil, err // the set that it names as its owner is not told of either
	}
	fleet, err := e.inspector.bridgeOf(ctx, func(set *v1alpha1.ApplicationSet) bool {
		return set.Name == owner && set.Namespace == app.Namespace
	}, looks, (*bridge.Set).Outline)
	if err != nil || len(fleet.Sets) == 0 {
		return out, err
	}
	trace, err := bridge.TraceValues(ctx, fleet, app, func(ctx context.Context, app *v1alpha1.Application) (map[string]any, error) {
		found, err := e.values(ctx, app)
		return byNames(found), err
	})
	if err != nil || trace.Set == "" {
		return out, err
	}
	out.Set, out.Cluster, out.Tried, out.Notes = trace.Set, trace.Cluster, trace.Tried, trace.Notes
	set := fleet.Sets[0].ApplicationSet
	out.From = api.BridgeSet{Namespace: set.Namespace, Name: set.Name, Project: set.Spec.Template.Spec.GetProject()}
	for i := range fleet.Clusters {
		if c := &fleet.Clusters[i]; c.Name == trace.Cluster && c.Secret == trace.Secret {
			out.Server, out.Project = c.Server, c.Project
		}
	}
	for _, k := range trace.Keys {
		one := api.ParameterKey{In: string(k.In), Name: k.Name, Value: k.Value, SetBy: k.SetBy.Manager, SetAt: k.SetBy.Time, Values: append([]string{}, k.Values...), Through: []string{}}
		for _, p := range k.Parameters {
			one.Through = append(one.Through, p.Path)
		}
		out.Keys = append(out.Keys, one)
	}
	return out, nil
}

// byNames are values by the names that api.ParameterKey has for them.
func byNames(found []render.SourceValues) map[string]any {
	out := map[string]any{}
	for _, s := range found {
		for _, v := range s.Values {
			if n := len(v.Layers); n > 0 {
				out[strconv.Itoa(s.Source)+":"+strings.Join(v.Path, ".")] = v.Layers[n-1].Value
			}
		}
	}
	return out
}
