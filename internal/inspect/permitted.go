package inspect

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Permitted are the Applications whose projects permit where they go to.
func (i *Inspector) Permitted(ctx context.Context, all []v1alpha1.Application) ([]v1alpha1.Application, error) {
	var out []v1alpha1.Application
	for n := range all {
		ok, err := i.destinations().LeadsTo(ctx, &all[n], i.cfg.Namespace)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, all[n])
		}
	}
	return out, nil
}
