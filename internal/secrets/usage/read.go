package usage

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// The ways in which a pod uses a Secret.
const (
	ByEnv        = "env"
	ByEnvFrom    = "envFrom"
	ByVolume     = "volume"
	ByPullSecret = "imagePullSecrets"
	// ByAccount is for images, too, and no part of the pod: nothing is restarted for it.
	ByAccount = "imagePullSecrets of its service account"
)

// Ways are those in which Secrets are used, by the names of the Secrets.
type Ways map[string][]string

// Of are the Secrets that a pod uses. Those with which images are pulled are its service
// account's where it names none, as admission has it.
func Of(pod *corev1.PodSpec, ofAccount []corev1.LocalObjectReference) Ways {
	all := Ways{}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			all.environment(containers[i].Env, containers[i].EnvFrom)
		}
	}
	for i := range pod.EphemeralContainers {
		all.environment(pod.EphemeralContainers[i].Env, pod.EphemeralContainers[i].EnvFrom)
	}
	for i := range pod.Volumes {
		all.volume(&pod.Volumes[i].VolumeSource)
	}
	pull, how := pod.ImagePullSecrets, ByPullSecret
	if len(pull) == 0 {
		pull, how = ofAccount, ByAccount
	}
	for _, ref := range pull {
		all.add(ref.Name, how)
	}
	return all
}

// Account is the name of the service account that a pod runs as.
func Account(pod *corev1.PodSpec) string {
	return cmp.Or(pod.ServiceAccountName, pod.DeprecatedServiceAccount, "default")
}

func (w Ways) add(secret, how string) {
	if secret != "" && !slices.Contains(w[secret], how) {
		w[secret] = append(w[secret], how)
	}
}

func (w Ways) environment(one []corev1.EnvVar, from []corev1.EnvFromSource) {
	for _, e := range one {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			w.add(e.ValueFrom.SecretKeyRef.Name, ByEnv)
		}
	}
	for _, e := range from {
		if e.SecretRef != nil {
			w.add(e.SecretRef.Name, ByEnvFrom)
		}
	}
}

func (w Ways) volume(v *corev1.VolumeSource) {
	if v.Secret != nil {
		w.add(v.Secret.SecretName, ByVolume)
	}
	if v.CSI != nil && v.CSI.NodePublishSecretRef != nil {
		w.add(v.CSI.NodePublishSecretRef.Name, ByVolume)
	}
	if v.Projected == nil {
		return
	}
	for _, p := range v.Projected.Sources {
		if p.Secret != nil {
			w.add(p.Secret.Name, ByVolume)
		}
	}
}
