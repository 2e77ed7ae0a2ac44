package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// annotated is an object with annotations of its own.
func annotated(apiVersion, kind, annotations, body string) string {
	return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: x, namespace: ns, annotations: {" + annotations + "}}\n" + body
}

func TestWhatGoesWithAnObject(t *testing.T) {
	const claim = "the claim goes, and the data of its volume with it, unless the volume's reclaim policy is Retain"
	const templates = "spec: {volumeClaimTemplates: [{metadata: {name: d}}]"
	cases := map[string]struct {
		reason, object string
		want           []forecast.Risk
	}{
		"Volume":      {"data stays by default", wrap("v1", "PersistentVolume", "spec: {}"), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolume x", Message: "the volume is no longer known to the cluster; its data stays where it is stored"}}},
		"VolumeToo":   {"or goes, as its policy says", wrap("v1", "PersistentVolume", "spec: {persistentVolumeReclaimPolicy: Delete}"), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolume x", Message: "the volume is no longer known to the cluster, and its data is deleted with it"}}},
		"SetStays":    {"claims of a set stay by default", wrap("apps/v1", "StatefulSet", templates+"}"), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "StatefulSet ns/x", Message: "the set goes, and the PersistentVolumeClaims of its pods stay behind, as is the default"}}},
		"SetGoes":     {"or go, as it says", wrap("apps/v1", "StatefulSet", templates+", persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}"), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "StatefulSet ns/x", Message: "the PersistentVolumeClaims of its pods are deleted with it, as persistentVolumeClaimRetentionPolicy.whenDeleted says"}}},
		"SetScaled":   {"what is deleted when it shrinks is another matter", wrap("apps/v1", "StatefulSet", templates+", persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}}"), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "StatefulSet ns/x", Message: "the set goes, and the PersistentVolumeClaims of its pods stay behind, as is the default"}}},
		"Alone":       {"a Deployment goes alone", wrap("apps/v1", "Deployment", "spec: {}"), nil},
		"Namesake":    {"a custom resource that is called so takes nothing with it", wrap("e.com/v1", "Namespace", "spec: {}"), nil},
		"Kept":        {"an option keeps it", annotated("v1", "PersistentVolumeClaim", "argocd.argoproj.io/sync-options: 'Prune=false'", ""), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolumeClaim ns/x", Message: claim + "; but Prune=false keeps it while its application is there"}}},
		"Confirmed":   {"or asks", annotated("v1", "PersistentVolumeClaim", "argocd.argoproj.io/sync-options: 'Force=true, Prune=confirm'", ""), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolumeClaim ns/x", Message: claim + "; Prune=confirm asks before"}}},
		"KeptAtEnd":   {"or keeps it when all of it goes", annotated("v1", "PersistentVolumeClaim", "argocd.argoproj.io/sync-options: 'Delete=false'", ""), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolumeClaim ns/x", Message: claim + "; but it is marked to be kept when its application goes"}}},
		"KeptByHelm":  {"in Helm's words", annotated("v1", "PersistentVolumeClaim", "helm.sh/resource-policy: keep", ""), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolumeClaim ns/x", Message: claim + "; but it is marked to be kept when its application goes"}}},
		"Definition":  {"of all clusters", annotated("apiextensions.k8s.io/v1", "CustomResourceDefinition", "argocd.argoproj.io/sync-options: 'Prune=false'", ""), []forecast.Risk{{Kind: forecast.RiskCRDRemoved, Object: "CustomResourceDefinition x", Message: "all objects of its kind are deleted with it, on every cluster that has them; but Prune=false keeps it while its application is there"}}},
		"PruneIsTrue": {"what says that it goes keeps nothing", annotated("v1", "PersistentVolumeClaim", "argocd.argoproj.io/sync-options: 'Prune=true,Delete=true', helm.sh/resource-policy: delete", ""), []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "PersistentVolumeClaim ns/x", Message: claim}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, tc.object), nil, Options{})
			if diff := cmp.Diff(tc.want, got.Risks); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if added := Compare(nil, manifests(t, tc.object), Options{}); len(added.Risks) > 0 {
				t.Errorf("what comes takes nothing with it: %+v", added.Risks)
			}
		})
	}
}

// Only a hook that a sync makes is deleted; the words of both tools count.
func TestObjectsThatBecomeHooks(t *testing.T) {
	cases := map[string]struct {
		reason, before, after string
		risks                 int
	}{
		"Argo":      {"a phase of a sync", "", "argocd.argoproj.io/hook: PostSync", 1},
		"OneOf":     {"one of several", "", "argocd.argoproj.io/hook: 'Skip, SyncFail'", 1},
		"Helm":      {"a phase of a release that a sync has, too", "", "helm.sh/hook: 'post-delete,pre-upgrade'", 1},
		"HelmTest":  {"a test is made by no sync", "", "helm.sh/hook: test", 0},
		"HelmEnd":   {"nor is what Helm does at the end", "", "helm.sh/hook: pre-delete", 0},
		"Unknown":   {"nor is a word that nobody knows", "", "argocd.argoproj.io/hook: presync", 0},
		"WasOne":    {"it was one before", "helm.sh/hook: pre-install", "argocd.argoproj.io/hook: PreSync", 0},
		"NoLonger":  {"nothing is deleted when it stays from now on", "argocd.argoproj.io/hook: PreSync", "", 0},
		"Forced":    {"a ConfigMap that is created anew takes nothing with it", "", "argocd.argoproj.io/sync-options: 'Replace=true,Force=true'", 0},
		"BothWords": {"told once", "", "argocd.argoproj.io/hook: PreSync, helm.sh/hook: pre-install", 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Compare(manifests(t, annotated("v1", "ConfigMap", tc.before, "")), manifests(t, annotated("v1", "ConfigMap", tc.after, "")), Options{})
			if len(got.Objects) != 1 || len(got.Risks) != tc.risks {
				t.Errorf("%s: risks are %+v", tc.reason, got.Risks)
			}
		})
	}
	forced := Options{Force: true}
	claim := func(options string) string {
		return annotated("v1", "PersistentVolumeClaim", "argocd.argoproj.io/sync-options: '"+options+"'", "")
	}
	for options, risks := range map[string]int{"Replace=true": 1, "Replace=true,Force=false": 0, "Prune=true": 0} {
		if got := Compare(manifests(t, claim("")), manifests(t, claim(options)), forced); len(got.Risks) != risks {
			t.Errorf("with %s in an application with Force=true: %+v", options, got.Risks)
		}
	}
}
