package clustersecret

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func secret(pairs ...string) *corev1.Secret {
	one := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string][]byte{}}
	for i := 0; i < len(pairs); i += 2 {
		one.Data[pairs[i]] = []byte(pairs[i+1])
	}
	return one
}

func TestDescribe(t *testing.T) {
	written := secret("name", "old", "server", "https://old")
	written.StringData = map[string]string{"name": "new"}
	marked := secret("server", "https://a")
	marked.Labels = map[string]string{causeway.LabelClusterSource: "terraform", "env": "prod"}
	marked.Annotations = map[string]string{"region": "eu"}
	for name, tc := range map[string]struct {
		reason string
		secret *corev1.Secret
		want   gitops.Cluster
	}{
		"all": {
			"what a Secret says", secret("name", "a", "server", "https://a:6443", "project", "team", "namespaces", " x, y ,,", "clusterResources", "true"),
			gitops.Cluster{Name: "a", Server: "https://a:6443", Secret: "c", Project: "team", Namespaces: []string{"x", "y"}, ClusterResources: true},
		},
		"nameless":   {"a cluster without a name is known by its server", secret("server", "https://a"), gitops.Cluster{Name: "https://a", Server: "https://a", Secret: "c"}},
		"spaces":     {"ends of lines are no part of a text", secret("name", " a\n", "server", "https://a\n"), gitops.Cluster{Name: "a", Server: "https://a", Secret: "c"}},
		"stringData": {"stringData counts before data", written, gitops.Cluster{Name: "new", Server: "https://old", Secret: "c"}},
		"no boolean": {"what is no boolean is false", secret("name", "a", "clusterResources", "yes"), gitops.Cluster{Name: "a", Secret: "c"}},
		"nothing":    {"a Secret that says nothing", secret(), gitops.Cluster{Secret: "c"}},
		"hub":        {"the hub is found by one server", secret("name", "in", "server", gitops.HubServer), gitops.Cluster{Name: "in", Server: gitops.HubServer, Secret: "c"}},
		"user":       {"nobody sees a password in an address", secret("server", "https://ada:hunter22@a:6443/x"), gitops.Cluster{Name: "https://a:6443/x", Server: "https://a:6443/x", Secret: "c"}},
		"metadata": {"labels and annotations, and who wrote it", marked, gitops.Cluster{
			Name: "https://a", Server: "https://a", Secret: "c", Source: "terraform", Labels: marked.Labels, Annotations: marked.Annotations,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Describe(tc.secret)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHasUser(t *testing.T) {
	for server, want := range map[string]bool{
		"https://a": false, "https://ada@a": true, "https://ada:p@ss@a": true, "https://a/b@c": false, "https://a?x=@": false, "ada:hunter22@a": false, "https://@a": true, "": false,
		"https://ada:%zz@a": true,
	} {
		if got := HasUser(secret("server", server)); got != want {
			t.Errorf("%s: got %v", server, got)
		}
	}
}
