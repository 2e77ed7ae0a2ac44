package externalsecret

import (
	"context"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
)

// Templates are those of a spec for an object of a namespace, for others that have such
// specs.
func (r *Reconciler) Templates(ctx context.Context, namespace string, spec *esv1.ExternalSecretTemplate) (*compute.Template, error) {
	return r.templates(ctx, namespace, spec)
}
