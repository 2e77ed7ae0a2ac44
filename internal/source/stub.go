package source

import "github.com/causeway-gitops/causeway/internal/gitops"

func (r *Registry) openOCI(string, bool, Credential) origin {
	return broken(gitops.Problemf(gitops.Invalid, "OCI is not supported yet"))
}
