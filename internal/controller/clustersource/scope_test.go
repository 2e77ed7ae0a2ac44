package clustersource

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
)

// Which Secrets have a kubeconfig, of which cluster, and which of their keys it is, by
// each of the ways in which a source looks for them.
func TestKubeconfigsOfAScope(t *testing.T) {
	secret := func(name string, change func(*corev1.Secret)) *corev1.Secret {
		s := &corev1.Secret{Data: map[string][]byte{"value": []byte("of value"), "config": []byte("of config")}}
		s.Namespace, s.Name, s.Labels = "team", name, map[string]string{}
		change(s)
		return s
	}
	none := func(*corev1.Secret) {}
	capi := func(cluster string, kind corev1.SecretType) func(*corev1.Secret) {
		return func(s *corev1.Secret) { s.Type, s.Labels[capiName] = kind, cluster }
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	byAPI, byV := causeway.ClusterSourceSpec{ClusterAPI: &causeway.SecretScope{}}, causeway.ClusterSourceSpec{VCluster: &causeway.SecretScope{}}
	bySecret := func(key string) causeway.ClusterSourceSpec {
		return causeway.ClusterSourceSpec{Secrets: &causeway.KubeconfigSecrets{SecretScope: causeway.SecretScope{Selector: selector}, Key: key}}
	}
	for name, tc := range map[string]struct {
		reason string
		spec   causeway.ClusterSourceSpec
		secret *corev1.Secret
		want   string // name and text; empty where it is none
	}{
		"CAPI":          {"named as Cluster API names it", byAPI, secret("prod-kubeconfig", capi("prod", capiType)), "prod: of value"},
		"CAPI CA":       {"another Secret of the same Cluster", byAPI, secret("prod-ca", capi("prod", capiType)), ""},
		"CAPI other":    {"a name that is another Cluster's", byAPI, secret("dev-kubeconfig", capi("prod", capiType)), ""},
		"CAPI type":     {"anybody may label a Secret", byAPI, secret("prod-kubeconfig", capi("prod", corev1.SecretTypeOpaque)), ""},
		"vcluster":      {"named as vcluster names it", byV, secret("vc-dev", none), "dev: of config"},
		"vcluster not":  {"another name", byV, secret("dev", none), ""},
		"vcluster none": {"the name of one, without a kubeconfig", byV, secret("vc-dev", func(s *corev1.Secret) { delete(s.Data, vKey) }), ""},
		"Secret":        {"the first of the usual keys", bySecret(""), secret("dev", none), "dev: of config"},
		"First":         {"which is kubeconfig", bySecret(""), secret("dev", func(s *corev1.Secret) { s.Data["kubeconfig"] = []byte("of kubeconfig") }), "dev: of kubeconfig"},
		"Empty":         {"an empty one is none", bySecret(""), secret("dev", func(s *corev1.Secret) { s.Data["config"] = nil }), "dev: of value"},
		"Key":           {"the key that is named, and no other", bySecret("value"), secret("dev", none), "dev: of value"},
		"Other key":     {"which may be missing: that is told of the kubeconfig", bySecret("other"), secret("dev", none), "dev: "},
		"Going":         {"a Secret that goes is none", bySecret(""), secret("dev", func(s *corev1.Secret) { s.DeletionTimestamp = &metav1.Time{} }), "dev: of config"},
		"Gone":          {"once it is being deleted", bySecret(""), secret("dev", func(s *corev1.Secret) { now := metav1.Now(); s.DeletionTimestamp = &now }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := scopeOf(&causeway.ClusterSource{Spec: tc.spec})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if one, ok := s.read(tc.secret); ok {
				if got = one.name + ": " + string(one.text); one.from != "team/"+tc.secret.Name || one.namespace != "team" {
					t.Errorf("%s: it is from %s of %s", tc.reason, one.from, one.namespace)
				}
			}
			if got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// What a source watches: its own namespace, or those that it names, each once. One that
// does not say which Secrets reads none.
func TestWhereAScopeLooks(t *testing.T) {
	chosen := &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}
	broken := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}}
	target := func(namespace, labels string) watched.Target {
		return watched.Target{Kind: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: namespace, Labels: labels}
	}
	bySelector := func(s *metav1.LabelSelector) causeway.ClusterSourceSpec {
		return causeway.ClusterSourceSpec{Secrets: &causeway.KubeconfigSecrets{SecretScope: causeway.SecretScope{Selector: s}}}
	}
	for name, tc := range map[string]struct {
		reason string
		spec   causeway.ClusterSourceSpec
		want   []watched.Target
		says   string
	}{
		"Own":         {"it names no namespace", bySelector(chosen), []watched.Target{target("fleet", "tier=gold")}, ""},
		"Named":       {"each once, in their order", causeway.ClusterSourceSpec{VCluster: &causeway.SecretScope{Namespaces: []string{"b", "a", "b"}}}, []watched.Target{target("a", ""), target("b", "")}, ""},
		"CAPI":        {"the selector is of Clusters, not of Secrets", causeway.ClusterSourceSpec{ClusterAPI: &causeway.SecretScope{Selector: chosen}}, []watched.Target{target("fleet", capiName)}, ""},
		"None":        {"not every Secret has a kubeconfig", bySelector(nil), nil, "spec.secrets needs a selector"},
		"Empty":       {"a selector that says nothing chooses every Secret of the namespace", bySelector(&metav1.LabelSelector{}), nil, "spec.secrets needs a selector, and one that is not empty"},
		"Empty lists": {"however nothing is said", bySelector(&metav1.LabelSelector{MatchLabels: map[string]string{}, MatchExpressions: []metav1.LabelSelectorRequirement{}}), nil, "label those that have"},
		"Every name":  {"what virtual clusters write is known by its name, and needs none", causeway.ClusterSourceSpec{VCluster: &causeway.SecretScope{Selector: &metav1.LabelSelector{}}}, []watched.Target{target("fleet", "")}, ""},
		"All":         {"what stands for all namespaces leaves none to name: its kubeconfigs would be there twice", causeway.ClusterSourceSpec{VCluster: &causeway.SecretScope{Namespaces: []string{"b", "", "a"}}}, []watched.Target{target("", "")}, ""},
		"Nothing":     {"nor does one that says nothing", causeway.ClusterSourceSpec{}, nil, "spec.secrets needs a selector"},
		"Broken":      {"a selector that is none selects nothing", bySelector(broken), nil, "cannot use the selector"},
		"Broken CAPI": {"of Clusters neither", causeway.ClusterSourceSpec{ClusterAPI: &causeway.SecretScope{Selector: broken}}, nil, "cannot use the selector"},
	} {
		t.Run(name, func(t *testing.T) {
			source := &causeway.ClusterSource{Spec: tc.spec}
			source.Namespace = "fleet"
			s, err := scopeOf(source)
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tc.want, s.targets()); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
	given := []string{"b", "a"}
	if namespaces(&causeway.ClusterSource{}, given); given[0] != "b" {
		t.Error("the namespaces of the spec were sorted, which others read")
	}
}

// Keys that steer the engine or Argo CD are the word of whoever writes a source, and are
// not copied of who may label a cluster.
func TestSteeringKeysAreNotCopied(t *testing.T) {
	for key, want := range map[string]bool{
		"argocd.argoproj.io/skip-reconcile": true, "argoproj.io/x": true, "bridge.causeway.io/draining": true, "causeway.io/draining": true,
		"kubectl.kubernetes.io/last-applied-configuration": true,
		"team": false, "example.com/argoproj.io": false, "myargoproj.io/x": false, "causeway.io.example.com/x": false,
	} {
		if got := steers(key); got != want {
			t.Errorf("%s steers: %t", key, got)
		}
		k := found{labels: map[string]string{key: "x"}}
		if _, copied := metadata(nil, []string{"*"}, k.labels, k)[key]; copied == want {
			t.Errorf("%s is copied: %t", key, copied)
		}
		if _, said := metadata(map[string]string{key: "y"}, nil, nil, k)[key]; !said {
			t.Errorf("%s is not taken from who may say it", key)
		}
	}
}
