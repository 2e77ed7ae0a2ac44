package gitops

import (
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// PausedBy says that a cluster is to be left alone, and how that ends; empty
// when it is not.
func PausedBy(c Cluster) string {
	if !v1alpha1.SkipsReconcile(c.Annotations) {
		return ""
	}
	return fmt.Sprintf("cluster %s is paused by the annotation %s on its Secret %s: nothing is synced, healed, pruned or deleted there until that is taken away",
		c.Name, v1alpha1.AnnotationSkipReconcile, c.Secret)
}
