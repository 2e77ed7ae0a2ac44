package secretrotation

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// uses are the names of the Secrets of which a pod gets something. Those with which
// images are pulled are its service account's where it names none, as admission has it.
func uses(pod *corev1.PodSpec, account *corev1.ServiceAccount) map[string]bool {
	names := map[string]bool{}
	for _, name := range named(pod) {
		names[name] = true
	}
	pull := pod.ImagePullSecrets
	if len(pull) == 0 && account != nil {
		pull = account.ImagePullSecrets
	}
	for _, ref := range pull {
		names[ref.Name] = true
	}
	delete(names, "")
	return names
}

// named are the Secrets that containers and volumes of a pod name.
func named(pod *corev1.PodSpec) []string {
	var names []string
	add := func(env []corev1.EnvVar, from []corev1.EnvFromSource) {
		for _, one := range env {
			if one.ValueFrom != nil && one.ValueFrom.SecretKeyRef != nil {
				names = append(names, one.ValueFrom.SecretKeyRef.Name)
			}
		}
		for _, one := range from {
			if one.SecretRef != nil {
				names = append(names, one.SecretRef.Name)
			}
		}
	}
	for i := range pod.InitContainers {
		add(pod.InitContainers[i].Env, pod.InitContainers[i].EnvFrom)
	}
	for i := range pod.Containers {
		add(pod.Containers[i].Env, pod.Containers[i].EnvFrom)
	}
	for i := range pod.EphemeralContainers {
		add(pod.EphemeralContainers[i].Env, pod.EphemeralContainers[i].EnvFrom)
	}
	for i := range pod.Volumes {
		names = append(names, mounted(pod.Volumes[i].VolumeSource)...)
	}
	return names
}

// mounted are the Secrets of a volume.
func mounted(volume corev1.VolumeSource) []string {
	var names []string
	if volume.Secret != nil {
		names = append(names, volume.Secret.SecretName)
	}
	if volume.CSI != nil && volume.CSI.NodePublishSecretRef != nil {
		names = append(names, volume.CSI.NodePublishSecretRef.Name)
	}
	if volume.Projected != nil {
		for _, one := range volume.Projected.Sources {
			if one.Secret != nil {
				names = append(names, one.Secret.Name)
			}
		}
	}
	return names
}

// outlined is a pod that uses the same Secrets, and says nothing else.
func outlined(pod corev1.PodSpec) corev1.PodSpec {
	out := corev1.PodSpec{ServiceAccountName: pod.ServiceAccountName, ImagePullSecrets: pod.ImagePullSecrets}
	names := map[string]bool{}
	for _, name := range named(&pod) {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.Volumes = append(out.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}})
	}
	return out
}
