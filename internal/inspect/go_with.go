package inspect

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/declaredcluster"
)

// ReasonHeld is the reason of the condition Deletable of a Cluster whose
// deletion waits for an approval.
const ReasonHeld = declaredcluster.ReasonHeld

// GoWith names, sorted, those of some Applications that are deleted with a Cluster,
// which an approval is for. The engine asks the projects first, see
// Inspector.Permitted.
func GoWith(c *causeway.Cluster, all []v1alpha1.Application) []string {
	return slices.Sorted(slices.Values(declaredcluster.ListOf(declaredcluster.Own(c, all)).Names()))
}
