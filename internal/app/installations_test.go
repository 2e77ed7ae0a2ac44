package app

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestObjectsOfAnotherInstallation has two installations share a cluster, each with an Application of one name. What
// the other one marked is pruned by no sync and goes with no Application; what this one marked does.
func TestObjectsOfAnotherInstallation(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName, Namespace: e.namespace}, Data: map[string]string{v1alpha1.SettingInstallation: "ours"}}
	e.make(settings)
	app := e.app("app", "app")
	e.until("app", "good", good)
	embeddedtest.Eventually(t, func(context.Context) error {
		cm, err := e.configMap("settings")
		if err == nil && cm.Annotations[gitops.AnnotationInstallation] != "ours" {
			err = errors.New("the object is not marked as the installation's")
		}
		return err
	})
	for name, installation := range map[string]string{"theirs": "theirs", "nobodys": "", "ours": "ours"} {
		marks := map[string]string{gitops.AnnotationTracking: app.Name + ":/ConfigMap:" + e.namespace + "/" + name}
		if installation != "" {
			marks[gitops.AnnotationInstallation] = installation
		}
		e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace, Annotations: marks}})
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		_, err := e.configMap("ours")
		if err == nil {
			return errors.New("what it marked is not pruned")
		}
		return client.IgnoreNotFound(err)
	})
	e.delete("app")
	e.untilDeleted("app")
	for _, name := range []string{"theirs", "nobodys"} {
		if _, err := e.configMap(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("what it deployed stayed: %v", err)
	}
}
