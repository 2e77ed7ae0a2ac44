package object

import "testing"

// Whether a kind has a namespace decides whether an object is the same one after its
// namespace is written.
func TestScopesOfKinds(t *testing.T) {
	cases := map[string]struct {
		reason, group, kind string
		namespaced, known   bool
	}{
		"Core":          {"a kind of the core", "", "ConfigMap", true, true},
		"CoreCluster":   {"one without a namespace", "", "Node", false, true},
		"Namespace":     {"a namespace is in none", "", "Namespace", false, true},
		"Apps":          {"a group without dots", "apps", "Deployment", true, true},
		"RBAC":          {"roles of both scopes", "rbac.authorization.k8s.io", "Role", true, true},
		"RBACCluster":   {"roles of both scopes", "rbac.authorization.k8s.io", "ClusterRole", false, true},
		"Definition":    {"a definition, whose group clients do not know", "apiextensions.k8s.io", "CustomResourceDefinition", false, true},
		"OtherGroup":    {"a custom resource that is called like a kind of Kubernetes", "example.com", "Node", false, false},
		"Custom":        {"a custom resource", "argoproj.io", "Application", false, false},
		"CustomK8s":     {"one that Kubernetes' people have made", "gateway.networking.k8s.io", "Gateway", false, false},
		"CustomNoDots":  {"a group without dots is not Kubernetes' own for that", "widgets", "Widget", false, false},
		"NetworkPolicy": {"a group of Kubernetes with dots", "networking.k8s.io", "NetworkPolicy", true, true},
		"IngressClass":  {"its class is for all namespaces", "networking.k8s.io", "IngressClass", false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespaced, known := BuiltinScope(tc.group, tc.kind)
			if known != tc.known || known && namespaced != tc.namespaced {
				t.Errorf("%s: namespaced %t, known %t", tc.reason, namespaced, known)
			}
		})
	}
}
