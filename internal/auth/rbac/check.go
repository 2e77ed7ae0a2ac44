package rbac

import "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"

// CheckRoles reads the roles of a project as they would count. The error names
// the role, the policy and its line.
func CheckRoles(of *v1alpha1.AppProject) error {
	r := newReader(globs)
	for i := range of.Spec.Roles {
		if err := r.role(of.Name, &of.Spec.Roles[i]); err != nil {
			return err
		}
	}
	return nil
}
