package corpus

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// readSecrets reads the made-up cluster Secrets that fit a repository, the hub first, and adds annotations.
func readSecrets(root, suite string, notes map[string]string) ([]*corev1.Secret, error) {
	text, err := os.ReadFile(filepath.Join(root, "conformance", "applicationset", suite, "clusters.yaml"))
	if err != nil {
		return nil, err
	}
	var out []*corev1.Secret
	for _, doc := range strings.Split(string(text), "\n---\n") {
		secret := &corev1.Secret{}
		if err := yaml.UnmarshalStrict([]byte(doc), secret); err != nil {
			return nil, fmt.Errorf("cannot read clusters of %s: %w", suite, err)
		}
		if secret.Namespace != control || secret.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeCluster {
			continue
		}
		secret.Data = map[string][]byte{}
		for k, v := range secret.StringData {
			secret.Data[k] = []byte(v)
		}
		secret.StringData = nil
		maps.Copy(secret.Annotations, notes)
		out = append(out, secret)
	}
	slices.SortStableFunc(out, func(a, b *corev1.Secret) int { return rank(a) - rank(b) })
	return out, nil
}

func rank(s *corev1.Secret) int {
	if isHub(s) {
		return 0
	}
	return 1
}

func isHub(s *corev1.Secret) bool { return string(s.Data["server"]) == gitops.HubServer }

// clustersOf shows Secrets as the generators see them.
func clustersOf(secrets []*corev1.Secret) []gitops.Cluster {
	var out []gitops.Cluster
	for _, s := range secrets {
		out = append(out, gitops.Cluster{
			Name: string(s.Data["name"]), Server: string(s.Data["server"]), Secret: s.Name, Project: string(s.Data["project"]),
			Labels: s.Labels, Annotations: s.Annotations,
		})
	}
	return out
}

// switchedOn returns copies of Secrets on which each of the labels is "true".
func switchedOn(secrets []*corev1.Secret, labels []string) []*corev1.Secret {
	var out []*corev1.Secret
	for _, s := range secrets {
		s = s.DeepCopy()
		for _, l := range labels {
			s.Labels[l] = "true"
		}
		out = append(out, s)
	}
	return out
}

// switches lists the labels that selectors of generators want to be "true".
func switches(value any, into map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			switches(e, into)
		}
	case map[string]any:
		key, _ := v["key"].(string)
		values, _ := v["values"].([]any)
		if v["operator"] == "In" && slices.Contains(values, any("true")) {
			into[key] = true
		}
		labels, _ := v["matchLabels"].(map[string]any)
		for k, want := range labels {
			if want == "true" {
				into[k] = true
			}
		}
		for _, e := range v {
			switches(e, into)
		}
	}
}
