package host

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/host/codecommit"
)

// codeCommitForge signs in as the engine's own machine is known to AWS.
func (c caller) codeCommitForge(g *v1alpha1.SCMProviderGeneratorAWSCodeCommit, protocol string) (Forge, error) {
	o := codecommit.Options{Role: g.Role, Region: g.Region, CloneProtocol: protocol}
	for _, f := range g.TagFilters {
		if f != nil {
			o.TagFilters = append(o.TagFilters, codecommit.TagFilter{Key: f.Key, Value: f.Value})
		}
	}
	client, err := codecommit.New(o)
	return look(client, err, g.AllBranches)
}
