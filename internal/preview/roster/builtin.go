package roster

import (
	"slices"

	"k8s.io/client-go/kubernetes/scheme"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Builtin are the facts of a cluster of which only the version is known: the
// groups and kinds that Kubernetes itself serves, stable versions only.
func Builtin(kubeVersion string, more ...string) gitops.Facts {
	var all []string
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version == "__internal" || alpha(gvk.Version) || internalKind[gvk.Kind] {
			continue
		}
		version := gvk.GroupVersion().String()
		all = append(all, version, version+"/"+gvk.Kind)
	}
	all = append(all, more...)
	slices.Sort(all)
	return gitops.Facts{KubeVersion: kubeVersion, APIVersions: slices.Compact(all)}
}

// internalKind are types of the wire, not of the API.
var internalKind = map[string]bool{
	"ListOptions": true, "GetOptions": true, "CreateOptions": true, "UpdateOptions": true, "PatchOptions": true,
	"DeleteOptions": true, "WatchEvent": true, "Status": true, "ExportOptions": true, "APIGroup": true, "APIVersions": true,
}

// alpha and beta versions are off on clusters as they come.
func alpha(version string) bool {
	for _, c := range version[1:] {
		if c < '0' || c > '9' {
			return true
		}
	}
	return false
}
