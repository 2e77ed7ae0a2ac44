package source

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// refuseDeclared refuses a chart that its project denies in a registry, where the
// address is that of a web server and only its Secret says that it is a registry:
// whoever looks at the reference alone cannot tell.
func (r *Registry) refuseDeclared(ctx context.Context, ref gitops.SourceRef) error {
	at, err := address.Parse(ref.RepoURL)
	if err != nil || ref.Chart == "" || !at.IsWeb() || !r.credential(ref).IsOCI() {
		return nil //nolint:nilerr // the route tells what is wrong with an address
	}
	rule, err := r.opts.Permits(ctx, ref.Project)
	if err != nil {
		return err
	}
	_, err = rule.Admits(gitops.SourceRef{RepoURL: "oci://" + at.Host + at.Path, Chart: ref.Chart})
	return err
}
