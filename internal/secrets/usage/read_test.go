package usage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const everything = `
serviceAccountName: app
initContainers:
- {name: i, envFrom: [{secretRef: {name: init}}, {configMapRef: {name: none}}], env: [{name: A, valueFrom: {configMapKeyRef: {name: none, key: k}}}]}
containers:
- {name: c, env: [{name: A, value: v}, {name: B, valueFrom: {secretKeyRef: {name: env, key: k}}}, {name: C, valueFrom: {fieldRef: {fieldPath: no}}}]}
- {name: d, envFrom: [{secretRef: {name: from}}, {secretRef: {name: env}}]}
ephemeralContainers:
- {name: e, envFrom: [{secretRef: {name: debug}}]}
volumes:
- {name: a, secret: {secretName: volume}}
- {name: b, projected: {sources: [{secret: {name: projected}}, {configMap: {name: none}}]}}
- {name: c, csi: {driver: d, nodePublishSecretRef: {name: driver}}}
- {name: d, csi: {driver: d}}
- {name: e, configMap: {name: none}}
- {name: f, secret: {}}
`

func TestOf(t *testing.T) {
	account := []corev1.LocalObjectReference{{Name: "of-account"}, {}}
	all := func(more Ways) Ways {
		ways := Ways{
			"init": {ByEnvFrom}, "env": {ByEnv, ByEnvFrom}, "from": {ByEnvFrom}, "debug": {ByEnvFrom},
			"volume": {ByVolume}, "projected": {ByVolume}, "driver": {ByVolume},
		}
		for name, how := range more {
			ways[name] = how
		}
		return ways
	}
	for name, tc := range map[string]struct {
		reason, pod string
		account     []corev1.LocalObjectReference
		want        Ways
		as          string
	}{
		"everything": {"each way to use a Secret", everything, nil, all(nil), "app"},
		"account":    {"images are pulled with those of the service account", everything, account, all(Ways{"of-account": {ByAccount}}), "app"},
		"own":        {"unless the pod names some", "imagePullSecrets: [{name: pull}, {name: ''}]", account, Ways{"pull": {ByPullSecret}}, "default"},
		"nothing":    {"a pod that uses none", "{serviceAccount: old}", nil, Ways{}, "old"},
	} {
		t.Run(name, func(t *testing.T) {
			var pod corev1.PodSpec
			if err := yaml.UnmarshalStrict([]byte(tc.pod), &pod); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, Of(&pod, tc.account)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if got := Account(&pod); got != tc.as {
				t.Errorf("%s: it runs as %s, not %s", tc.reason, got, tc.as)
			}
		})
	}
}
