package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Explainer tells where what an Application is rendered with comes from.
// Secret values are masked.
type Explainer interface {
	Parameters(ctx context.Context, app *v1alpha1.Application) (*Parameters, error)
	// Keys tells which keys of its cluster they follow.
	Keys(ctx context.Context, app *v1alpha1.Application) (*ParameterKeys, error)
	// Field tells where a field of an object comes from, which is named as
	// KIND/NAME or KIND/NAMESPACE/NAME.
	Field(ctx context.Context, app *v1alpha1.Application, object, path string) (*FieldOrigin, error)
}

// Parameters are what the sources of an Application are rendered with.
type Parameters struct {
	Sources []ParameterSource `json:"sources"`
	// Set is the ApplicationSet that wrote the Application; empty for none.
	Set string `json:"applicationSet,omitempty" doc:"What made the Application, and with it the layers of its spec."`
	// Masked is why no value is shown; empty where values are.
	Masked string `json:"masked,omitempty" doc:"Why no value is shown; empty where values are."`
}

// ParameterSource are those of one source.
type ParameterSource struct {
	Index   int         `json:"index"`
	RepoURL string      `json:"repoURL"`
	Path    string      `json:"path,omitempty" doc:"Folder, or the chart's name."`
	Type    string      `json:"type" doc:"Helm, Kustomize, Directory, Plugin."`
	Values  []Parameter `json:"values"`
}

// Parameter is one value.
type Parameter struct {
	Path []string `json:"path"`
	// Value is what counts.
	Value  any              `json:"value"`
	Layers []ParameterLayer `json:"layers" doc:"All that say something of it, the weakest first: the last one counts."`
}

// ParameterLayer is a place that gives a value.
type ParameterLayer struct {
	Kind    string `json:"kind" enum:"chart,valueFile,values,parameter,fileParameter,kustomization,source"`
	Name    string `json:"name,omitempty" doc:"The file as the Application writes it, the parameter, the chart, or the field of the spec."`
	Where   string `json:"where,omitempty" doc:"File and line."`
	RepoURL string `json:"repoURL,omitempty" doc:"Where the file is."`
	Value   any    `json:"value"`
}

// ParameterKeys are the keys of a cluster that parameters follow, found by
// giving each key another value in memory.
type ParameterKeys struct {
	Set     string         `json:"applicationSet,omitempty" doc:"Empty where no set made the Application from a cluster."`
	Cluster string         `json:"cluster,omitempty"`
	Tried   int            `json:"tried" doc:"How many keys the set reads."`
	Keys    []ParameterKey `json:"keys"`
	Notes   []string       `json:"notes,omitempty"`
	Hidden  bool           `json:"hidden,omitempty" doc:"You may not read the cluster or the set, so no keys are named."`

	// From and Server are the set and the cluster, for the rights alone.
	From    BridgeSet `json:"-"`
	Server  string    `json:"-"`
	Project string    `json:"-"`
}

// ParameterKey is a key with what follows it.
type ParameterKey struct {
	In    string    `json:"in" doc:"label or annotation."`
	Name  string    `json:"name"`
	Value string    `json:"value,omitempty"`
	SetBy string    `json:"setBy,omitempty" doc:"Field manager that wrote it."`
	SetAt time.Time `json:"setAt,omitzero"`
	// Through are the fields of the Application that it changes.
	Through []string `json:"through" doc:"Fields of the Application."`
	Values  []string `json:"values" doc:"Parameters, as SOURCE:PATH with dots."`
}

// FieldOrigin is where a field of a rendered object comes from.
type FieldOrigin struct {
	Object string `json:"object" doc:"KIND/NAME, or KIND/NAMESPACE/NAME."`
	Path   string `json:"path" doc:"As in spec.replicas."`
	Value  any    `json:"value" doc:"As it is rendered now; secrets are masked."`
	Where  string `json:"where,omitempty" doc:"Template or manifest that the object is written in."`
	// Keys of the cluster that it follows.
	Keys *ParameterKeys `json:"keys"`
}

type fieldInput struct {
	KeyInput

	Object string `query:"object" required:"true" minLength:"3" maxLength:"600" doc:"KIND/NAME, or KIND/NAMESPACE/NAME, as in Deployment/web."`
	Path   string `query:"path" required:"true" minLength:"1" maxLength:"1024" doc:"Path of the field, as in spec.template.spec.containers[0].image."`
}

func (s *server) parameters(a huma.API) {
	at := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodGet, "/applications/{namespace}/{name}/parameters"+path, "objects", summary)
		op.Errors = append(op.Errors, http.StatusBadGateway, http.StatusGatewayTimeout)
		return op
	}
	handle(a, at("get-parameters", "", "What an Application is rendered with, and which layer each value comes from"), s.parametersOf)
	handle(a, at("get-parameter-keys", "/keys", "Which keys of its cluster the parameters of an Application follow"), s.parameterKeys)
	field := operation("get-field-origin", http.MethodGet, "/applications/{namespace}/{name}/field", "objects", "Where a field of a rendered object comes from: the file, and the keys of its cluster that it follows")
	field.Errors = append(field.Errors, http.StatusBadGateway, http.StatusGatewayTimeout)
	handle(a, field, s.fieldOf)
}

func (s *server) parametersOf(ctx context.Context, in *KeyInput) (*answer[*Parameters], error) {
	return look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) (*Parameters, error) {
		out, err := s.Explain.Parameters(ctx, app)
		return out, permitted(err)
	})
}

// permitted tells that a project does not permit what would be rendered: that
// is no failure of a host on the way.
func permitted(err error) error {
	if gitops.IsProblem(err, gitops.Forbidden) {
		return httpError(err)
	}
	return err
}

// parameterKeys names keys to those who may read the cluster and the set.
func (s *server) parameterKeys(ctx context.Context, in *KeyInput) (*answer[*ParameterKeys], error) {
	out, err := look(ctx, s, in.key(), s.Explain.Keys)
	if err != nil {
		return out, err
	}
	out.Body = s.seenKeys(ctx, out.Body)
	return out, nil
}

func (s *server) fieldOf(ctx context.Context, in *fieldInput) (*answer[*FieldOrigin], error) {
	out, err := look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) (*FieldOrigin, error) {
		out, err := s.Explain.Field(ctx, app, in.Object, in.Path)
		return out, permitted(err)
	})
	if err != nil {
		return out, err
	}
	out.Body.Keys = s.seenKeys(ctx, out.Body.Keys)
	return out, nil
}

// seenKeys are the keys as somebody may see them, who may read the Application.
func (s *server) seenKeys(ctx context.Context, keys *ParameterKeys) *ParameterKeys {
	if keys.Set == "" {
		return keys
	}
	cluster := reach.Cluster("get", keys.Server, keys.Project)
	if !s.reach.Permits(ctx, cluster) || !s.reach.Permits(ctx, keys.From.read()) {
		return &ParameterKeys{Keys: []ParameterKey{}, Hidden: true}
	}
	return keys
}
