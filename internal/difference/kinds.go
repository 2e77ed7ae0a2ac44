package difference

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// normalize brings an object into the form that is compared, in place.
func (r *Rules) normalize(ctx context.Context, o *unstructured.Unstructured) error {
	unstructured.RemoveNestedField(o.Object, "metadata", "creationTimestamp")
	switch o.GroupVersionKind().GroupKind() {
	case schema.GroupKind{Kind: "Secret"}:
		gitops.NormalizeSecret(o)
	case schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "Role"}, schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:
		normalizeRole(o, r.settings.AggregatedRoles)
	case schema.GroupKind{Kind: "Endpoints"}:
		normalizeEndpoints(o)
	}
	if err := r.forget(ctx, o); err != nil {
		return err
	}
	gvk := o.GroupVersionKind()
	RewriteTyped(o.Object, r.settings.known[groupKind{gvk.Group, gvk.Kind}])
	RewriteTyped(o.Object, r.types)
	return nil
}

// normalizeRole lets no rules and an empty list of rules be the same, and
// those of an aggregated role not count where the installation says so.
func normalizeRole(o *unstructured.Unstructured, aggregated bool) {
	if aggregated && isAggregated(o) {
		o.Object["rules"] = nil
	}
	if rules, ok := o.Object["rules"].([]any); ok && len(rules) == 0 {
		o.Object["rules"] = nil
	}
}

// isAggregated reports whether a controller fills in the rules of a role.
func isAggregated(o *unstructured.Unstructured) bool {
	gvk := o.GroupVersionKind()
	_, is := o.Object["aggregationRule"].(map[string]any)
	return is && gvk.Group == "rbac.authorization.k8s.io" && (gvk.Kind == "ClusterRole" || gvk.Kind == "Role")
}
