package app

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// reasonCustomization is the reason of events about what the installation
// says of kinds.
const reasonCustomization = "InvalidCustomization"

// customize assesses objects as the installation says from now on. What it
// says in a way that cannot be read is told, and changes nothing.
func (e *Engine) customize(ctx context.Context) {
	if e.checks.Mark(e.settings.Tracking()) {
		e.fleet.Reassess(func(schema.GroupKind) bool { return true })
	}
	changed, warnings, err := e.checks.Customize(e.settings.Data())
	if err != nil {
		for _, text := range e.unsaid([]string{err.Error()}) {
			e.cfg.Log.WarnContext(ctx, "health checks and actions stay as they are", "configmap", v1alpha1.SettingsName, "error", text)
			e.tell(reasonCustomization, text)
		}
		return
	}
	for _, w := range e.unsaid(warnings) {
		e.cfg.Log.WarnContext(ctx, w, "configmap", v1alpha1.SettingsName)
		e.tell(reasonCustomization, w)
	}
	e.fleet.Reassess(changed)
}

// unsaid are the warnings that the settings before did not have: each is told
// when it comes, not again whenever some other key changes.
func (e *Engine) unsaid(warnings []string) []string {
	e.said.Lock()
	defer e.said.Unlock()
	before := e.said.warnings
	e.said.warnings = warnings
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return slices.Contains(before, w) })
}

// tell records an event at the ConfigMap, where the one who changed it looks.
func (e *Engine) tell(reason, message string) {
	cm := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: e.cfg.Namespace, Name: v1alpha1.SettingsName},
	}
	e.events.Event(cm, corev1.EventTypeWarning, reason, message)
}
