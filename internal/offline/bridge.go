package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// Bridge is the bridge of a repository: what its sets read of its
// clusters. The setters of keys are the files that the Secrets are in.
func Bridge(state *preview.State) bridge.Fleet {
	out := bridge.Fleet{Stages: bridgeStages{state}}
	for _, c := range state.Side.Roster.Clusters {
		out.Clusters = append(out.Clusters, bridge.Cluster{Cluster: c.Cluster, Set: map[bridge.Key]bridge.Setter{}})
	}
	for _, s := range state.ApplicationSets() {
		out.Sets = append(out.Sets, bridge.Set{
			ApplicationSet: s.ApplicationSet, Expansion: s.Expansion, Err: s.Err,
			Line: func(parameter string) string { return state.LineOf(s, parameter) },
		})
	}
	return out
}

// rulesOf are the rules of MetadataSchemas for previews. A schema that makes no
// sense is an error: nobody would be told what it means to forbid.
func rulesOf(all []declared.Schema) (func(gitops.Cluster) []preview.Broken, error) {
	schemas, err := schemasOf(all)
	if err != nil || len(schemas) == 0 {
		return nil, err
	}
	return func(c gitops.Cluster) []preview.Broken {
		var out []preview.Broken
		for i, s := range schemas {
			origin := gitops.Origin{File: all[i].File, Line: all[i].Line}
			for _, v := range s.Check(c) {
				text := fmt.Sprintf("%s %s", v.Key, v.Message)
				out = append(out, preview.Broken{Message: text, Schema: "MetadataSchema " + v.Schema, Origin: origin, Refused: v.Deny})
			}
		}
		return out
	}, nil
}

func schemasOf(all []declared.Schema) ([]bridge.Schema, error) {
	out := make([]bridge.Schema, 0, len(all))
	for _, s := range all {
		schema, err := bridge.NewSchema(s.MetadataSchema)
		var p *gitops.Problem
		if errors.As(err, &p) {
			return nil, p.At(gitops.Origin{File: s.File, Line: s.Line})
		}
		out = append(out, schema)
	}
	return out, nil
}

// SchemasOf are the MetadataSchemas that count for a side: those that it
// declares, and those that were given besides.
func (o *Stages) SchemasOf(side preview.Side) ([]bridge.Schema, error) {
	return schemasOf(slices.Concat(side.Found.Schemas, o.cfg.Schemas))
}

type bridgeStages struct{ state *preview.State }

func (o bridgeStages) Expand(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error) {
	return o.state.ExpandFor(ctx, set, clusters)
}

func (o bridgeStages) Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	return o.state.RenderAs(ctx, app)
}
