package source

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

func unfinished(what string) origin {
	return origin{look: func(context.Context) (view, error) {
		return nil, gitops.Problemf(gitops.Invalid, "%s is not supported yet", what)
	}}
}

func (r *Registry) openOCI(string, bool, Credential) origin     { return unfinished("OCI") }
func (r *Registry) openHelm(address.Address, Credential) origin { return unfinished("Helm") }
func (r *Registry) openShelf(local) origin                      { return unfinished("charts in mirrors") }
