package declaredcluster

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// secrets lists the cluster Secrets it has, and can do nothing else.
type secrets struct {
	client.Client

	items []corev1.Secret
}

func (s secrets) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*corev1.SecretList).Items = s.items //nolint:forcetypeassert // nothing else is listed
	return nil
}

// TestAlone has the clusters that a Cluster cannot be beside, because
// Applications name a cluster by its name or its address.
func TestAlone(t *testing.T) {
	secret := func(object, name, server string) corev1.Secret {
		return corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Name: object, Namespace: "argocd",
				Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster},
			},
			Data: map[string][]byte{"name": []byte(name), "server": []byte(server)},
		}
	}
	cases := map[string]struct {
		reason string
		name   string
		server string
		beside corev1.Secret
		want   string // in the error; none when empty
	}{
		"Server":      {"an Application that names the address would not know which is meant", "dev", server, secret("old", "old", server), "cluster Secret old describes the server " + server + " already"},
		"Slash":       {"a slash at the end is the same address", "dev", server, secret("old", "old", server+"/"), "describes the server"},
		"Name":        {"an Application that names the cluster would not know which is meant", "dev", server, secret("old", "dev", "https://10.0.0.2:6443"), "another cluster that is called dev"},
		"Own":         {"its own Secret has its name and its server", "dev", server, secret("dev", "dev", server), ""},
		"Other":       {"another cluster is no matter", "dev", server, secret("old", "old", "https://10.0.0.2:6443"), ""},
		"HubsName":    {"the hub has it", gitops.HubName, server, secret("old", "old", "https://10.0.0.2:6443"), "those of the hub"},
		"HubsAddress": {"the hub has it", "dev", gitops.HubServer, secret("old", "old", "https://10.0.0.2:6443"), "those of the hub"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := New(Options{Client: secrets{items: []corev1.Secret{tc.beside}}})
			c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: tc.name, Namespace: "argocd"}}
			err := r.alone(t.Context(), c, tc.server)
			if tc.want == "" && err != nil {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
