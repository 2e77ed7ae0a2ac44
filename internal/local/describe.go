package local

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Describe is the Secret that a fleet's cluster will have, but for how to
// connect to it: that is known when it runs. The text is the cluster's Secret
// as written, empty when there is none.
func Describe(c Cluster, text []byte, namespace string) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: c.Name}}
	if len(text) > 0 {
		var err error
		if secret, err = parseSecret(text); err != nil {
			return nil, fmt.Errorf("cannot read the Secret of cluster %s: %w", c.Name, err)
		}
	}
	secret = complete(secret, c, namespace)
	switch {
	case c.Hub:
		secret.Data["server"] = []byte(gitops.HubServer)
	case len(secret.Data["server"]) == 0:
		secret.Data["server"] = []byte("https://" + c.Name + ".local")
	}
	return secret, nil
}

// Parse reads the text of a LocalFleet file; the paths in it stay as written.
func Parse(path string, text []byte) (*File, error) { return parse(path, text) }
