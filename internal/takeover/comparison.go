package takeover

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Change is what the engine would do to one live object.
type Change struct {
	Key gitops.Key
	// Verb is create, update or prune.
	Verb gitops.Verb
	// Fields are the paths that change; empty when the object is made or goes.
	Fields []string
}

// Marks reports whether nothing changes but how the object is known for the
// application's.
func (c *Change) Marks() bool {
	if c.Verb != gitops.Update || len(c.Fields) == 0 {
		return false
	}
	return !slices.ContainsFunc(c.Fields, func(path string) bool { return !slices.Contains(marks, path) })
}

// marks are the paths of how an object is known for an application's. Long paths
// are told in part: what is no mark must not be taken for one.
var marks = []string{
	`metadata.annotations["` + gitops.AnnotationTracking + `"]`,
	`metadata.annotations["` + gitops.AnnotationInstallation + `"]`,
	`metadata.labels["` + gitops.LabelInstance + `"]`,
}

// Comparison is one application as Argo CD left it, against what the engine
// makes of its sources.
type Comparison struct {
	// Name is the tracking name.
	Name, Project string
	State         State
	// Automated tells that the changes would be made without anybody asking.
	Automated bool
	Changes   []Change
	// Rewritten tells that its ApplicationSet would change the Application itself.
	Rewritten bool
	// Problem tells why it cannot be compared.
	Problem string
}

// Begin is a comparison without its result.
func Begin(app *v1alpha1.Application, control string) Comparison {
	return Comparison{
		Name: gitops.TrackingName(app.Namespace, app.Name, control), Project: app.Spec.GetProject(),
		State: stateOf(app), Automated: app.Spec.SyncPolicy.IsAutomated(),
	}
}

// Same reports whether nothing would change.
func (c *Comparison) Same() bool { return c.Problem == "" && len(c.Changes) == 0 }

// Moves reports whether the takeover itself would change objects, beyond how they
// are marked, or may: what cannot be compared is not taken over unseen.
func (c *Comparison) Moves() bool {
	if c.Problem != "" {
		return true
	}
	return c.Automated && slices.ContainsFunc(c.Changes, func(ch Change) bool { return !ch.Marks() })
}
