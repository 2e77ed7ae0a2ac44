package app

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/clustersecret"
)

// TestWhatHasASetExpanded is a change of what it writes, and none of what anybody
// may ask for who reads.
func TestWhatHasASetExpanded(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		want   bool
	}{
		"nothing":    {"nothing changed", func(*v1alpha1.Application) {}, false},
		"refresh":    {"somebody asks for another look", func(a *v1alpha1.Application) { a.Annotations[v1alpha1.AnnotationRefresh] = "normal" }, false},
		"none left":  {"the other one was taken away", func(a *v1alpha1.Application) { a.Annotations = nil }, true},
		"annotation": {"a set writes others", func(a *v1alpha1.Application) { a.Annotations["a"] = "c" }, true},
		"label":      {"and labels", func(a *v1alpha1.Application) { a.Labels = map[string]string{"a": "b"} }, true},
		"both": {"asking hides no change", func(a *v1alpha1.Application) {
			a.Annotations[v1alpha1.AnnotationRefresh], a.Spec.Project = "hard", "other"
		}, true},
		"outline": {"it is too much to be kept", func(a *v1alpha1.Application) { a.Outlined = "too large" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Annotations = map[string]string{"a": "b"}
			now := app.DeepCopy()
			c.change(now)
			if there, back := writtenOtherwise(app, now), writtenOtherwise(now, app); there != c.want || back != c.want {
				t.Errorf("%s: %t, and back %t", c.reason, there, back)
			}
		})
	}
}

// TestSecretsThatChangeTheirSort: who had one of them learns that it has it no longer.
func TestSecretsThatChangeTheirSort(t *testing.T) {
	of := func(sort string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelSecretType: sort}}}
	}
	cluster, repository := of(v1alpha1.SecretTypeCluster), of(v1alpha1.SecretTypeRepository)
	p := isOrWas(clustersecret.IsCluster)
	for name, c := range map[string]struct {
		reason   string
		old, now *corev1.Secret
		want     bool
	}{
		"stays":   {"it is one", cluster, cluster, true},
		"becomes": {"it is one now", repository, cluster, true},
		"was":     {"it is none any more, and would go on to be used", cluster, repository, true},
		"other":   {"it never was", repository, repository, false},
	} {
		if got := p.Update(event.UpdateEvent{ObjectOld: c.old, ObjectNew: c.now}); got != c.want {
			t.Errorf("%s: %s: %v", name, c.reason, got)
		}
	}
	if p.Create(event.CreateEvent{Object: repository}) || !p.Delete(event.DeleteEvent{Object: cluster}) {
		t.Error("others come and go unseen, and its own do not")
	}
}
