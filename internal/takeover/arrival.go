package takeover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Judges reports whether an application has to arrive: it was there before, and an
// engine looks at it.
func (r *Record) Judges(app *v1alpha1.Application) bool {
	return app.DeletionTimestamp == nil && !app.CreationTimestamp.After(r.Begun) && !v1alpha1.SkipsReconcile(app.Annotations) && !clusterPaused(app)
}

func clusterPaused(app *v1alpha1.Application) bool {
	return slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
		return c.Type == v1alpha1.ApplicationConditionClusterPausedWarning
	})
}

// Missing tells why an application has not arrived at the engine yet; empty
// when it has: it was looked at, and is not worse off than before.
func (r *Record) Missing(app *v1alpha1.Application, control string) string {
	if !r.Judges(app) {
		return ""
	}
	name := gitops.TrackingName(app.Namespace, app.Name, control)
	if _, waiting := app.RefreshRequested(); waiting {
		return name + ": the engine has not looked at it yet"
	}
	expected, ok := r.Expected[name]
	if !ok {
		expected = Good
	}
	now := stateOf(app)
	if !now.WorseThan(expected) {
		return ""
	}
	text := fmt.Sprintf("%s: %s, was %s", name, now, expected)
	for _, c := range app.Status.Conditions {
		if strings.HasSuffix(c.Type, "Error") {
			return text + ": " + c.Message
		}
	}
	return text
}

// Blockers are the reasons for which a takeover must not begin unless whoever
// asks for it accepts them.
func Blockers(i *Installation, all []Comparison, sets []SetComparison) []string {
	var out []string
	for j := range all {
		switch c := &all[j]; {
		case c.Problem != "":
			out = append(out, "application "+c.Name+" cannot be compared")
		case c.Moves():
			out = append(out, "application "+c.Name+" would be changed at once: it syncs by itself")
		}
	}
	for j := range sets {
		out = append(out, sets[j].blockers()...)
	}
	out = append(out, i.unrestrained()...)
	for _, w := range i.Engines() {
		if slices.ContainsFunc(all, func(c Comparison) bool { return c.Automated && c.Name == w.Owner }) {
			out = append(out, w.String()+" is deployed by application "+w.Owner+", which would start it again")
		}
	}
	return out
}
