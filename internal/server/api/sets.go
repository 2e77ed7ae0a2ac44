package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Set is an ApplicationSet.
type Set struct {
	Namespace    string      `json:"namespace"`
	Name         string      `json:"name"`
	Project      string      `json:"project" doc:"The project of its template; policies judge by it."`
	Generators   []string    `json:"generators"`
	Applications int         `json:"applications" doc:"How many it has made that you may read."`
	Healthy      int         `json:"healthy"`
	Synced       int         `json:"synced"`
	Conditions   []Condition `json:"conditions"`
	Failed       bool        `json:"failed,omitempty"`
	Created      time.Time   `json:"created,omitzero"`
	Refreshing   bool        `json:"refreshing,omitempty" doc:"Another expansion was asked for, and the engine has not made it yet."`
}

func (s *server) sets(a huma.API) {
	handle(a, operation("list-applicationsets", http.MethodGet, "/applicationsets", "applications", "The ApplicationSets with what they made"), s.listSets)
}

func (s *server) listSets(ctx context.Context, _ *struct{}) (*answer[[]Set], error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	all, err := s.Applications.ApplicationSets(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	made := map[view.Key][]*view.Row{}
	rows := s.Index.Now().Rows
	for _, r := range rows {
		if r.Set != "" && visible(r) {
			set := view.Key{Namespace: r.Namespace, Name: r.Set}
			made[set] = append(made[set], r)
		}
	}
	out, others := []Set{}, reach.UnseenOf(rows, visible)
	all = reach.Only(ctx, s.reach, all, reach.ReadSet)
	for i := range all {
		out = append(out, setOf(&all[i], made[view.Key{Namespace: all[i].Namespace, Name: all[i].Name}], others))
	}
	return &answer[[]Set]{out}, nil
}

func setOf(set *v1alpha1.ApplicationSet, made []*view.Row, u *reach.Unseen) Set {
	out := Set{
		Namespace: set.Namespace, Name: set.Name, Project: set.Spec.Template.Spec.GetProject(), Applications: len(made),
		Generators: []string{}, Conditions: []Condition{}, Created: gitops.Moment(set.CreationTimestamp.Time),
	}
	_, out.Refreshing = set.Annotations[v1alpha1.AnnotationApplicationSetRefresh]
	for i := range set.Spec.Generators {
		out.Generators = append(out.Generators, generatorOf(&set.Spec.Generators[i]))
	}
	for _, r := range made {
		if r.Health == "Healthy" {
			out.Healthy++
		}
		if r.Sync == "Synced" {
			out.Synced++
		}
	}
	for _, c := range u.Conditions(set) {
		if c.Status != v1alpha1.ApplicationSetConditionStatusTrue {
			continue // an error that did not occur is none
		}
		one := Condition{Type: string(c.Type), Message: c.Message}
		if c.LastTransitionTime != nil {
			one.Since = gitops.Moment(c.LastTransitionTime.Time)
		}
		out.Failed = out.Failed || c.Type == v1alpha1.ApplicationSetConditionErrorOccurred
		out.Conditions = append(out.Conditions, one)
	}
	return out
}

// generatorOf names a generator by its field.
func generatorOf(g *v1alpha1.ApplicationSetGenerator) string {
	named := []struct {
		name string
		is   bool
	}{
		{"list", g.List != nil}, {"clusters", g.Clusters != nil}, {"git", g.Git != nil}, {"scmProvider", g.SCMProvider != nil},
		{"clusterDecisionResource", g.ClusterDecisionResource != nil}, {"pullRequest", g.PullRequest != nil}, {"matrix", g.Matrix != nil},
		{"merge", g.Merge != nil}, {"plugin", g.Plugin != nil}, {"oci", g.OCI != nil},
	}
	for _, n := range named {
		if n.is {
			return n.name
		}
	}
	return "unknown"
}
