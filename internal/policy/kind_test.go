package policy_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func TestKind(t *testing.T) {
	kind := schema.GroupKind{Group: "example.com", Kind: "Huge"}
	item := func(kind, name string) []v1alpha1.ClusterResourceRestrictionItem {
		return []v1alpha1.ClusterResourceRestrictionItem{{Group: "example.com", Kind: kind, Name: name}}
	}
	gk := func(kind string) []metav1.GroupKind { return []metav1.GroupKind{{Group: "example.com", Kind: kind}} }
	for name, c := range map[string]struct {
		reason     string
		spec       v1alpha1.AppProjectSpec
		namespaced bool
		want       bool
	}{
		"namespaced":         {"without lists all namespaced kinds are permitted", v1alpha1.AppProjectSpec{}, true, true},
		"denied":             {"a list forbids it", v1alpha1.AppProjectSpec{NamespaceResourceBlacklist: gk("*")}, true, false},
		"not listed":         {"a list permits others", v1alpha1.AppProjectSpec{NamespaceResourceWhitelist: gk("Small")}, true, false},
		"cluster":            {"without a list no cluster-scoped kind is permitted", v1alpha1.AppProjectSpec{}, false, false},
		"cluster one name":   {"objects of one name are permitted", v1alpha1.AppProjectSpec{ClusterResourceWhitelist: item("Huge", "team-*")}, false, true},
		"cluster denied":     {"a list forbids it", v1alpha1.AppProjectSpec{ClusterResourceWhitelist: item("*", ""), ClusterResourceBlacklist: item("Huge", "")}, false, false},
		"cluster one denied": {"objects of other names are permitted", v1alpha1.AppProjectSpec{ClusterResourceWhitelist: item("*", ""), ClusterResourceBlacklist: item("Huge", "theirs")}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := policy.Kind(&v1alpha1.AppProject{Spec: c.spec}, kind, c.namespaced); got != c.want {
				t.Errorf("%s: got %t", c.reason, got)
			}
		})
	}
}
