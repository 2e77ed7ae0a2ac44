package install

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// chartKinds are all that the chart may make.
func chartKinds() []schema.GroupVersionKind {
	kinds := func(group string, names ...string) (out []schema.GroupVersionKind) {
		for _, name := range names {
			out = append(out, schema.GroupVersionKind{Group: group, Version: "v1", Kind: name})
		}
		return out
	}
	return slices.Concat(
		kinds("", "ServiceAccount", "ConfigMap", "Service"),
		kinds("apps", "Deployment"),
		kinds("rbac.authorization.k8s.io", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
		kinds("networking.k8s.io", "NetworkPolicy"),
		kinds("policy", "PodDisruptionBudget"),
		kinds("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
		kinds("monitoring.coreos.com", "ServiceMonitor", "PrometheusRule"),
	)
}

// leftovers are objects of the chart that an earlier bootstrap made and that
// the values do not ask for any more: a right that is taken back, for one.
func (i *installer) leftovers(ctx context.Context, namespace string, wanted []*unstructured.Unstructured) ([]found, error) {
	keys := map[gitops.Key]bool{}
	for _, o := range wanted {
		keys[gitops.KeyOf(o)] = true
	}
	var out []found
	for _, kind := range chartKinds() {
		mapping, err := i.client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot tell what kinds the cluster serves: %w", err)
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		labels := client.MatchingLabels{"app.kubernetes.io/name": "causeway", "app.kubernetes.io/instance": bootstrap.Release}
		if err := i.client.List(ctx, list, labels); err != nil {
			return nil, fmt.Errorf("cannot list the objects of the engine of kind %s: %w", kind.Kind, err)
		}
		at := collection{group: kind.Group, name: mapping.Resource.Resource, namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace}
		for j := range list.Items {
			o := &list.Items[j]
			// What is not in the control namespace is named after it.
			mine := o.GetNamespace() == namespace || strings.HasPrefix(o.GetName(), namespace+":") || strings.HasPrefix(o.GetName(), namespace+".")
			if mine && !keys[gitops.KeyOf(o)] && managed(o, bootstrap.Manager) {
				out = append(out, found{live: o, resource: at})
			}
		}
	}
	return out, nil
}
