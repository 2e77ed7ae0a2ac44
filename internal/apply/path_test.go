package apply

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// FuzzPath asks for an object of any name, and reads the address of the request
// as a server does: it has one part for each of the names, and no others.
func FuzzPath(f *testing.F) {
	f.Add("apps", "v1", "deployments", "Deployment", "shop", "web", true)
	f.Add("", "v1", "namespaces", "Namespace", "", "shop", false)
	f.Add("", "v1", "configmaps", "ConfigMap", "shop", "../../other/secrets/x", true)
	f.Add("", "v1", "configmaps", "ConfigMap", "..", "x?y#z ä", true)
	f.Add("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", "", "system:web", false)
	f.Add("g", "v1/../..", "secrets", "K", "shop", "x", true)
	f.Add("g", "", "..", "K", "shop", "x", true)
	base := &url.URL{Scheme: "https", Host: "h", Path: "/k8s/clusters/c-1"}
	f.Fuzz(func(t *testing.T, group, version, resource, kind, namespace, name string, namespaced bool) {
		m := &meta.RESTMapping{Resource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, Scope: meta.RESTScopeRoot}
		want := []string{"k8s", "clusters", "c-1", "apis", group, version, resource}
		if namespaced {
			m.Scope = meta.RESTScopeNamespace
			want = []string{"k8s", "clusters", "c-1", "apis", group, version, "namespaces", namespace, resource}
		}
		if group == "" {
			want = slices.Delete(want, 3, 5)
			want = slices.Insert(want, 3, "api")
		}
		p, err := pathsOf(m, gitops.Key{Group: group, Kind: kind, Namespace: namespace, Name: name})
		if err != nil {
			if len(err.Error()) < len("cannot") {
				t.Errorf("it does not say why: %q", err)
			}
			return
		}
		for path, want := range map[string][]string{p.collection: want, p.object: append(slices.Clone(want), name)} {
			u := rest.NewRequestWithClient(base, "", rest.ClientContentConfig{}, nil).Verb("GET").AbsPath(path).URL()
			sent, err := url.Parse(u.String())
			if err != nil || sent.RawQuery != "" || sent.Fragment != "" {
				t.Fatalf("%q is sent as %q: %v", path, u, err)
			}
			got := strings.Split(strings.TrimPrefix(sent.EscapedPath(), "/"), "/")
			for i := range got {
				got[i], _ = url.PathUnescape(got[i])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q is sent as %q, to %q instead of %q", path, u, got, want)
			}
		}
	})
}
