package app

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
