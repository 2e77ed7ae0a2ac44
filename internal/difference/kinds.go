package difference

import (
	"context"
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// normalize brings an object into the form that is compared, in place.
func (r *Rules) normalize(ctx context.Context, o *unstructured.Unstructured) error {
	unstructured.RemoveNestedField(o.Object, "metadata", "creationTimestamp")
	switch o.GroupVersionKind().GroupKind() {
	case schema.GroupKind{Kind: "Secret"}:
		normalizeSecret(o)
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

// normalizeSecret folds stringData into data, where it wins, and turns empty
// values into empty texts. A Secret that is none by its types stays as it is.
func normalizeSecret(o *unstructured.Unstructured) {
	if texts, found, err := unstructured.NestedMap(o.Object, "stringData"); found && err == nil {
		data, _, _ := unstructured.NestedMap(o.Object, "data")
		if data == nil {
			data = map[string]any{}
		}
		for key, value := range texts {
			if text, ok := value.(string); ok {
				value = base64.StdEncoding.EncodeToString([]byte(text))
			}
			data[key] = value
		}
		o.Object["data"] = data
		delete(o.Object, "stringData")
	}
	var secret corev1.Secret
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &secret); err != nil || secret.Data == nil {
		return
	}
	if len(secret.Data) == 0 {
		o.Object["data"] = nil
		return
	}
	data := make(map[string]any, len(secret.Data))
	for key, value := range secret.Data {
		data[key] = base64.StdEncoding.EncodeToString(value)
	}
	o.Object["data"] = data
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

// isAggregated tells that a controller fills in the rules of a role.
func isAggregated(o *unstructured.Unstructured) bool {
	gvk := o.GroupVersionKind()
	_, is := o.Object["aggregationRule"].(map[string]any)
	return is && gvk.Group == "rbac.authorization.k8s.io" && (gvk.Kind == "ClusterRole" || gvk.Kind == "Role")
}
