package secrets

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// yes and no are what annotations say of restarts.
const yes, no = "true", "false"

// restartOf is what an object says of restarts; empty where it says nothing.
func restartOf(o metav1.Object) string {
	restart, stated := usage.Says(o.GetAnnotations())
	switch {
	case !stated:
		return ""
	case restart:
		return yes
	}
	return no
}

// policy is what the ExternalSecret or else its stores say of restarts, and who of them. As the engine has it, one store
// that says yes is enough.
func (c *content) policy(one *esv1.ExternalSecret) (restart, by string) {
	if own := restartOf(one); own != "" {
		return own, esv1.ExternalSecretKind + "/" + one.Name
	}
	for _, ref := range usage.Stores(one) {
		switch said := c.stores[usage.StoreKey(one.Namespace, ref)].restart; {
		case said == yes:
			return yes, storeName(ref)
		case said == no && restart == "":
			restart, by = no, storeName(ref)
		}
	}
	return restart, by
}

// inherit takes the policy of whoever makes the Secret, where the workload has none.
func (w *Workload) inherit(restart, by string) {
	if w.Restart == "" {
		w.Restart, w.RestartBy = restart, by
	}
}
