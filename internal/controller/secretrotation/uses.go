package secretrotation

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// outlined is a pod that uses the same Secrets, and says nothing else.
func outlined(pod corev1.PodSpec) corev1.PodSpec {
	var out corev1.PodSpec
	for _, name := range slices.Sorted(maps.Keys(usage.Of(&pod, nil))) {
		out.Volumes = append(out.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}})
	}
	return out
}
