package app

import (
	"context"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// explainer tells where what applications are rendered with comes from.
type explainer struct{ inspector *Inspector }

var _ api.Explainer = explainer{}

// Parameters implements api.Explainer.
func (e explainer) Parameters(ctx context.Context, app *v1alpha1.Application) (*api.Parameters, error) {
	found, err := e.values(ctx, app)
	if err != nil {
		return nil, err
	}
	mask, masked := e.masker(ctx, app)
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

func (e explainer) values(ctx context.Context, app *v1alpha1.Application) ([]render.SourceValues, error) {
	in, err := e.inspector.input(ctx, app)
	if err != nil {
		return nil, err
	}
	return e.inspector.render.Parameters(ctx, in)
}

// unrendered is why no value is shown of an application that cannot be rendered.
const unrendered = "the application cannot be rendered, so it is not known which values become those of Secrets; its conditions say why"

// masker also knows the values of the Secrets that are rendered; where that
// fails, none is shown, and it says why.
func (e explainer) masker(ctx context.Context, app *v1alpha1.Application) (mask object.Masker, masked string) {
	rendering, err := e.inspector.Render(ctx, app)
	if err != nil {
		return object.Opaque(), unrendered
	}
	return object.NewMasker(rendering.Hidden, rendering.Manifests), ""
}

func parameterOf(v gitops.Value, mask object.Masker) api.Parameter {
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
func (e explainer) Keys(ctx context.Context, app *v1alpha1.Application) (*api.ParameterKeys, error) {
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
