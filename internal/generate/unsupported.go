package generate

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// unsupported is a kind of generator that needs a service outside of Git and
// the fleet, and does not work yet.
type unsupported struct {
	name string
	of   func(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate
}

func (u unsupported) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	return u.of(g)
}

func (u unsupported) params(*run, *v1alpha1.ApplicationSetGenerator) ([]Params, error) {
	return nil, gitops.Problemf(gitops.Invalid, "the generator %s is not supported yet", u.name).
		Do("use list, clusters, git, matrix or merge")
}

var scmProvider = unsupported{"scmProvider", func(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.SCMProvider == nil {
		return nil
	}
	return &g.SCMProvider.Template
}}

var clusterDecisionResource = unsupported{"clusterDecisionResource", func(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.ClusterDecisionResource == nil {
		return nil
	}
	return &g.ClusterDecisionResource.Template
}}

var pullRequest = unsupported{"pullRequest", func(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.PullRequest == nil {
		return nil
	}
	return &g.PullRequest.Template
}}

var plugin = unsupported{"plugin", func(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Plugin == nil {
		return nil
	}
	return &g.Plugin.Template
}}
