package clustersecret_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestDescribe(t *testing.T) {
	labels := map[string]string{causeway.LabelClusterSource: "kubeconfigs"}
	for name, tc := range map[string]struct {
		reason string
		secret corev1.Secret
		want   gitops.Cluster
	}{
		"Whole": {
			"all that is said of it", corev1.Secret{Data: map[string][]byte{
				"name": []byte("spoke"), "server": []byte("https://spoke:6443"), "project": []byte("shop"), "namespaces": []byte("a, b,,"), "clusterResources": []byte("true"),
			}},
			gitops.Cluster{Name: "spoke", Server: "https://spoke:6443", Project: "shop", Namespaces: []string{"a", "b"}, ClusterResources: true},
		},
		"Unnamed": {"it is known by its address", corev1.Secret{Data: map[string][]byte{"server": []byte(" https://spoke ")}}, gitops.Cluster{Name: "https://spoke", Server: "https://spoke"}},
		"Written": {
			"what is written wins over what is there, as at an API server",
			corev1.Secret{Data: map[string][]byte{"name": []byte("old"), "server": []byte("https://spoke")}, StringData: map[string]string{"name": "new"}},
			gitops.Cluster{Name: "new", Server: "https://spoke"},
		},
		"User": {
			"who everybody reads has no password", corev1.Secret{StringData: map[string]string{"name": "spoke", "server": "https://me:hunter2@spoke/a@b"}},
			gitops.Cluster{Name: "spoke", Server: "https://spoke/a@b"},
		},
		"Sourced": {
			"what made it is in its labels", corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "cluster-spoke", Labels: labels}, StringData: map[string]string{"name": "spoke", "server": "https://spoke"}},
			gitops.Cluster{Name: "spoke", Server: "https://spoke", Secret: "cluster-spoke", Source: "kubeconfigs", Labels: labels},
		},
		"Lines":   {"ends of lines are no part of a text", corev1.Secret{Data: map[string][]byte{"name": []byte(" a\n"), "server": []byte("https://a\n")}}, gitops.Cluster{Name: "a", Server: "https://a"}},
		"Nothing": {"a Secret that says nothing", corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, gitops.Cluster{Secret: "c"}},
		"Hub":     {"the hub is found by one server", corev1.Secret{StringData: map[string]string{"name": "in", "server": gitops.HubServer}}, gitops.Cluster{Name: "in", Server: gitops.HubServer}},
		"Annotated": {
			"annotations are the cluster's as well", corev1.Secret{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"region": "eu"}}, StringData: map[string]string{"name": "a"}},
			gitops.Cluster{Name: "a", Annotations: map[string]string{"region": "eu"}},
		},
		"Odd": {"a flag that is none is not set", corev1.Secret{StringData: map[string]string{"name": "spoke", "clusterResources": "yes"}}, gitops.Cluster{Name: "spoke"}},
	} {
		if diff := cmp.Diff(tc.want, clustersecret.Describe(&tc.secret)); diff != "" {
			t.Errorf("%s (%s): %s", name, tc.reason, diff)
		}
	}
}

func TestHasUser(t *testing.T) {
	for server, want := range map[string]bool{
		"https://spoke": false, "https://me:hunter2@spoke": true, "https://me@spoke/x": true, "https://spoke/me@x": false, "https://spoke?me@x": false, "me@spoke": false, "": false,
		"https://me:p@ss@spoke": true, "me:hunter2@spoke": false, "https://@spoke": true,
		"https://a b:%zz@spoke": true, // no URL, which may have a password as well
	} {
		if got := clustersecret.HasUser(&corev1.Secret{StringData: map[string]string{"server": server}}); got != want {
			t.Errorf("%q has a user: %t, want %t", server, got, want)
		}
	}
}
