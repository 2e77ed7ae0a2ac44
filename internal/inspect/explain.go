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
	if ownerOf(app) == "" {
		return &api.ParameterKeys{Keys: []api.ParameterKey{}}, nil
	}
	fleet, err := e.makers(ctx, app)
	if err != nil || len(fleet.Sets) == 0 {
		return &api.ParameterKeys{Keys: []api.ParameterKey{}}, err
	}
	trace, err := bridge.TraceValues(ctx, fleet, app, func(ctx context.Context, app *v1alpha1.Application) (map[string]any, error) {
		found, err := e.values(ctx, app)
		return byNames(found), err
	})
	if err != nil {
		return nil, err
	}
	out := keysOf(fleet, trace.Set, trace.Cluster, trace.Secret)
	if trace.Set == "" {
		return out, nil
	}
	out.Tried, out.Notes = trace.Tried, trace.Notes
	for _, k := range trace.Keys {
		out.Keys = append(out.Keys, keyOf(k.KeyOrigin, k.Values))
	}
	return out, nil
}

// Field implements api.Explainer.
func (e Explainer) Field(ctx context.Context, app *v1alpha1.Application, object, path string) (*api.FieldOrigin, error) {
	fleet, err := e.makers(ctx, app)
	if err != nil {
		return nil, err
	}
	trace, err := bridge.TraceField(ctx, fleet, app, object, path)
	if err != nil {
		return nil, err
	}
	keys := keysOf(fleet, trace.Set, trace.Cluster, trace.Secret)
	keys.Tried, keys.Notes = trace.Tried, trace.Notes
	for _, k := range trace.Keys {
		keys.Keys = append(keys.Keys, keyOf(k, nil))
	}
	return &api.FieldOrigin{Object: trace.Object, Path: trace.Path, Value: trace.Value, Where: trace.Where, Keys: keys}, nil
}

// makers is the bridge with the set alone that made an application, and with
// none where no set did. Of one that its project does not permit nothing is
// told, not even of the set that it names as its owner.
func (e Explainer) makers(ctx context.Context, app *v1alpha1.Application) (bridge.Fleet, error) {
	if _, err := e.inspector.admit(ctx, app); err != nil {
		return bridge.Fleet{}, err
	}
	owner := ownerOf(app)
	if owner == "" {
		return bridge.Fleet{Stages: liveStages{e.inspector, looks}, Hides: e.inspector.settings.Comparing().Hidden()}, nil
	}
	return e.inspector.bridgeOf(ctx, func(set *v1alpha1.ApplicationSet) bool {
		return set.Name == owner && set.Namespace == app.Namespace
	}, looks, (*bridge.Set).Outline)
}

// keysOf are no keys yet of a cluster, with what rights to them go by.
func keysOf(fleet bridge.Fleet, set, cluster, secret string) *api.ParameterKeys {
	out := &api.ParameterKeys{Set: set, Cluster: cluster, Keys: []api.ParameterKey{}}
	if set == "" {
		return out
	}
	of := fleet.Sets[0].ApplicationSet
	out.From = api.BridgeSet{Namespace: of.Namespace, Name: of.Name, Project: of.Spec.Template.Spec.GetProject()}
	for i := range fleet.Clusters {
		if c := &fleet.Clusters[i]; c.Name == cluster && c.Secret == secret {
			out.Server, out.Project = c.Server, c.Project
		}
	}
	return out
}

func keyOf(k bridge.KeyOrigin, values []string) api.ParameterKey {
	out := api.ParameterKey{In: string(k.In), Name: k.Name, Value: k.Value, SetBy: k.SetBy.Manager, SetAt: k.SetBy.Time, Values: append([]string{}, values...), Through: []string{}}
	for _, p := range k.Parameters {
		out.Through = append(out.Through, p.Path)
	}
	return out
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
