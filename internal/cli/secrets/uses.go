package secrets

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// The ways in which a pod uses a Secret.
const (
	byEnv        = "env"
	byEnvFrom    = "envFrom"
	byVolume     = "volume"
	byPullSecret = "imagePullSecrets"
)

// ways are how Secrets are used, by their names.
type ways map[string][]string

func (w ways) add(secret, how string) {
	if secret != "" && !slices.Contains(w[secret], how) {
		w[secret] = append(w[secret], how)
	}
}

// usesOf are the Secrets that pods of a template use. Those of its service account are
// used to pull images, where the template names none itself.
func usesOf(pod *corev1.PodSpec, accounts map[string][]string) ways {
	all := ways{}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			all.container(&containers[i])
		}
	}
	for i := range pod.Volumes {
		all.volume(&pod.Volumes[i].VolumeSource)
	}
	for _, s := range pod.ImagePullSecrets {
		all.add(s.Name, byPullSecret)
	}
	if len(pod.ImagePullSecrets) == 0 {
		for _, s := range accounts[cmp.Or(pod.ServiceAccountName, "default")] {
			all.add(s, byPullSecret)
		}
	}
	return all
}

func (w ways) container(c *corev1.Container) {
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			w.add(e.ValueFrom.SecretKeyRef.Name, byEnv)
		}
	}
	for _, e := range c.EnvFrom {
		if e.SecretRef != nil {
			w.add(e.SecretRef.Name, byEnvFrom)
		}
	}
}

func (w ways) volume(v *corev1.VolumeSource) {
	if v.Secret != nil {
		w.add(v.Secret.SecretName, byVolume)
	}
	if v.CSI != nil && v.CSI.NodePublishSecretRef != nil {
		w.add(v.CSI.NodePublishSecretRef.Name, byVolume)
	}
	if v.Projected == nil {
		return
	}
	for _, p := range v.Projected.Sources {
		if p.Secret != nil {
			w.add(p.Secret.Name, byVolume)
		}
	}
}
