package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// readBridges reads the Secrets of a fleet's clusters. Each has a name of its own:
// of two with one name, the hub would keep the later, and one cluster less.
func readBridges(f *Fleet) ([]*corev1.Secret, error) {
	var all []*corev1.Secret
	whose := map[string]string{}
	for _, c := range f.Clusters {
		secret, err := readBridge(c, f.Namespace)
		if err != nil {
			return nil, err
		}
		if other, taken := whose[secret.Name]; taken {
			return nil, fmt.Errorf("cannot describe the clusters %s and %s: both have a Secret named %s; give each a metadata.name of its own", other, c.Name, secret.Name)
		}
		whose[secret.Name] = c.Name
		all = append(all, secret)
	}
	return all, nil
}

// readBridge reads the Secret that describes a cluster, or makes one up.
func readBridge(c Cluster, namespace string) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: c.Name}}
	if c.Secret != "" {
		text, err := bounded.File(c.Secret, maxFile)
		if err != nil {
			return nil, fmt.Errorf("cannot read the Secret of cluster %s: %w", c.Name, err)
		}
		if secret, err = parseSecret(text); err != nil {
			return nil, fmt.Errorf("cannot read the Secret of cluster %s (%s): %w", c.Name, c.Secret, err)
		}
	}
	return complete(secret, c, namespace), nil
}

// anchor is what the decoder quotes of a value that begins with an asterisk.
var anchor = regexp.MustCompile(`anchor '.*'`)

// parseSecret never repeats the text in an error: it may hold credentials.
func parseSecret(text []byte) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := bounded.Alone(text)
	if err == nil {
		err = yaml.UnmarshalStrict(text, secret)
	}
	if err != nil && anchor.MatchString(err.Error()) {
		return nil, fmt.Errorf("%s: write a value that begins with an asterisk in quotes", anchor.ReplaceAllString(err.Error(), "anchor"))
	}
	if err != nil {
		return nil, err
	}
	if secret.Kind != "Secret" || secret.APIVersion != "v1" {
		return nil, fmt.Errorf("it is %q of %q, not a Secret of v1", secret.Kind, secret.APIVersion)
	}
	if secret.Name == "" {
		return nil, errors.New("metadata.name is empty")
	}
	return secret, nil
}

// complete fills in what Terraform would write for every cluster.
func complete(s *corev1.Secret, c Cluster, namespace string) *corev1.Secret {
	s.Namespace = namespace
	s.Type = corev1.SecretTypeOpaque
	given := map[string]string{
		v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster,
		"cluster_name":           c.Name, "environment": c.Name, "enable_argocd": "true",
	}
	maps.Copy(given, s.Labels)
	s.Labels = given
	notes := map[string]string{"cluster_name": c.Name, "environment": given["environment"]}
	maps.Copy(notes, s.Annotations)
	s.Annotations = notes
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	for key, value := range s.StringData {
		s.Data[key] = []byte(value)
	}
	s.StringData = nil
	if len(s.Data["name"]) == 0 {
		s.Data["name"] = []byte(c.Name)
	}
	return s
}

// connect writes where the cluster is and how to get in. The hub is known by
// the address that manifests use for it, and needs no credentials.
func connect(s *corev1.Secret, c Cluster, config *rest.Config) error {
	if c.Hub {
		s.Data["server"] = []byte(gitops.HubServer)
		s.Data["config"] = []byte(`{"tlsClientConfig":{"insecure":false}}`)
		return nil
	}
	connection, err := connection(config)
	if err != nil {
		return fmt.Errorf("cannot write the Secret of cluster %s: %w", c.Name, err)
	}
	s.Data["server"], s.Data["config"] = []byte(config.Host), connection
	return nil
}

// connection is the JSON of a cluster Secret's config.
func connection(config *rest.Config) ([]byte, error) {
	config = rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, err
	}
	out := map[string]any{}
	tls := map[string]any{"insecure": false}
	for key, value := range map[string][]byte{"caData": config.CAData, "certData": config.CertData, "keyData": config.KeyData} {
		if len(value) > 0 {
			tls[key] = value
		}
	}
	out["tlsClientConfig"] = tls
	if config.BearerToken != "" {
		out["bearerToken"] = config.BearerToken
	}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(out); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
