package opstate

import "github.com/causeway-gitops/causeway/internal/gitops"

// Version is the API version of the object of an action.
func Version(a *gitops.Action) string {
	if a.Desired != nil {
		return a.Desired.Object.GroupVersionKind().Version
	}
	return a.Live.Version.Version
}
