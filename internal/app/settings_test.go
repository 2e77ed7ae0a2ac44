package app

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestSettingsAreFollowed tells that a change of argocd-cm reaches what is
// deployed, from nothing to a flag, to another, and back.
func TestSettingsAreFollowed(t *testing.T) {
	e := start(t, map[string]string{
		"built/kustomization.yaml": "resources: [../shared.yaml]\n",
		"shared.yaml":              configMapV1,
	})
	e.app("built", "built", noRetry)
	e.until("built", "refused", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: v1alpha1.SettingsName},
		Data:       map[string]string{"kustomize.buildOptions": "--load-restrictor LoadRestrictionsNone"},
	}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	e.until("built", "Synced and Healthy", good)
	e.untilVersion("settings", "1")

	before := cm.DeepCopy()
	cm.Data["kustomize.buildOptions"] = "--no-such-flag"
	if err := e.Patch(t.Context(), cm, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.until("built", "told of the flag", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	before = cm.DeepCopy()
	cm.Data = nil
	if err := e.Patch(t.Context(), cm, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.write("built/kustomization.yaml", "resources: [own.yaml]\n")
	e.write("built/own.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	e.untilVersion("settings", "2")
}

// TestRemoteBase tells that a change of a base from elsewhere, also one that
// mends it, reaches the cluster without a change of the application's own repository.
func TestRemoteBase(t *testing.T) {
	const baseURL = "https://git.example.com/team/bases"
	base := t.TempDir()
	put(t, base+"/web/kustomization.yaml", "resources: [cm.yaml]\n")
	put(t, base+"/web/cm.yaml", "apiVersion: [")
	e := prepare(t, hubConfig, map[string]string{"built/kustomization.yaml": "resources: ['" + baseURL + "//web']\n"})
	e.adjust = func(c *Config) { c.Mirrors = append(c.Mirrors, source.Mirror{URL: baseURL, Path: base}) }
	e.restart()
	e.app("built", "built")
	e.until("built", "refused", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	put(t, base+"/web/cm.yaml", configMapV1)
	e.until("built", "Synced and Healthy", good)
	e.untilVersion("settings", "1")
	put(t, base+"/web/cm.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	e.untilVersion("settings", "2")
}
