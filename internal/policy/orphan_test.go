package policy_test

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func TestOrphan(t *testing.T) {
	p := policy.DefaultProject("argocd")
	p.Spec.OrphanedResources = &v1alpha1.OrphanedResourcesMonitorSettings{Ignore: []v1alpha1.OrphanedResourceKey{
		{Kind: "Secret", Name: "sh.helm.*"}, {Group: "example.com"}, {Group: "*.cattle.io", Kind: "App*"},
	}}
	cases := map[string]struct {
		reason string
		key    gitops.Key
		want   bool
	}{
		"Plain":      {"nobody has it", gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, true},
		"Root":       {"each namespace has it", gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "kube-root-ca.crt"}, false},
		"Account":    {"each namespace has it", gitops.Key{Kind: "ServiceAccount", Namespace: "shop", Name: "default"}, false},
		"API":        {"the API server's own", gitops.Key{Kind: "Service", Namespace: "default", Name: "kubernetes"}, false},
		"OwnService": {"another of the name", gitops.Key{Kind: "Service", Namespace: "shop", Name: "kubernetes"}, true},
		"Cluster":    {"in no namespace", gitops.Key{Kind: "Namespace", Name: "shop"}, false},
		"Name":       {"ignored by name", gitops.Key{Kind: "Secret", Namespace: "shop", Name: "sh.helm.release.v1.a"}, false},
		"OtherName":  {"another name", gitops.Key{Kind: "Secret", Namespace: "shop", Name: "a"}, true},
		"Group":      {"ignored by group", gitops.Key{Group: "example.com", Kind: "X", Namespace: "shop", Name: "a"}, false},
		"GroupGlob":  {"ignored by globs", gitops.Key{Group: "catalog.cattle.io", Kind: "App", Namespace: "shop", Name: "a"}, false},
		"CoreOnly":   {"an entry without group is about the core group", gitops.Key{Group: "apps", Kind: "Secret", Namespace: "shop", Name: "sh.helm.x"}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := policy.Orphan(p, tc.key); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
	if policy.Orphan(policy.DefaultProject("argocd"), gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}) {
		t.Error("a project that does not ask has orphans")
	}
}
