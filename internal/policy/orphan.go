package policy

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Orphan reports whether an object that no application has counts as orphaned:
// its kind is the project's concern, it is nothing that each namespace has,
// and the project does not ignore it.
func Orphan(p *v1alpha1.AppProject, k gitops.Key) bool {
	if p.Spec.OrphanedResources == nil || k.Namespace == "" || resource(p, k, true) != nil || everywhere(k) {
		return false
	}
	for _, item := range p.Spec.OrphanedResources.Ignore {
		kind, name := item.Kind == "" || match(item.Kind, k.Kind, 0), item.Name == "" || match(item.Name, k.Name, 0)
		if kind && name && match(item.Group, k.Group, 0) {
			return false
		}
	}
	return true
}

// everywhere tells of what Kubernetes itself puts into namespaces.
func everywhere(k gitops.Key) bool {
	if k.Group != "" {
		return false
	}
	return k.Kind == "ServiceAccount" && k.Name == "default" || k.Kind == "ConfigMap" && k.Name == "kube-root-ca.crt" ||
		k.Kind == "Service" && k.Name == "kubernetes" && k.Namespace == "default"
}

// WarnsOfOrphans reports whether orphaned objects are a warning.
func WarnsOfOrphans(p *v1alpha1.AppProject) bool {
	o := p.Spec.OrphanedResources
	return o != nil && (o.Warn == nil || *o.Warn)
}
