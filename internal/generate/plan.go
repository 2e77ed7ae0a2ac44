package generate

import (
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Changes are what a set's policy allows to bring its live Applications to what
// was generated, each sorted by name.
type Changes struct {
	Create []v1alpha1.Application
	// Update has the Applications as they are to become.
	Update []v1alpha1.Application
	// Delete has the live Applications that are no longer generated.
	Delete []v1alpha1.Application
}

// Keeping is why a set deletes none of the Applications that it no longer
// generates.
type Keeping string

// The reasons.
const (
	// KeepsNone tells that they are deleted.
	KeepsNone Keeping = ""
	// KeepsByPolicy tells that the set's policy deletes none.
	KeepsByPolicy Keeping = "policy"
	// KeepsForRejected tells that others cannot be created: a mistake in a name
	// must not delete what had the right one.
	KeepsForRejected Keeping = "rejected"
)

// Keeps reports whether a set keeps what an expansion of it does not have. The
// engine goes by it, and who previews what the engine would do.
func Keeps(set *v1alpha1.ApplicationSet, exp *Expansion) Keeping {
	switch {
	case !set.Spec.GetApplicationsSync().AllowDelete():
		return KeepsByPolicy
	case len(exp.Rejected) > 0:
		return KeepsForRejected
	}
	return KeepsNone
}

// Comparing returns a context in which the Applications of a set are compared: their
// evaluations of ignoreApplicationDifferences have one bound of time together, and
// count for the project of the set.
func Comparing(ctx context.Context, set *v1alpha1.ApplicationSet) context.Context {
	return jq.Share(ctx, projectOf(set))
}

// Plan compares an expansion with the live Applications that the set owns. A
// rejected Application is neither changed nor deleted. What is to be deleted is
// there although KeepsForRejected holds, for whoever tells of it. The context is one
// of Comparing.
func Plan(ctx context.Context, set *v1alpha1.ApplicationSet, live []v1alpha1.Application, exp *Expansion) (*Changes, error) {
	policy := set.Spec.GetApplicationsSync()
	existing := gitops.ByName(live)
	wanted := make(map[string]bool, len(exp.Applications)+len(exp.Rejected))
	for _, r := range exp.Rejected {
		wanted[r.Name] = true
	}
	out := &Changes{}
	for i := range exp.Applications {
		app := &exp.Applications[i]
		wanted[app.Name] = true
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		old, exists := existing[app.Name]
		if !exists {
			out.Create = append(out.Create, *app)
			continue
		}
		if !policy.AllowUpdate() || old.Outlined != "" {
			continue
		}
		desired, changed, err := Merge(ctx, old, app, set)
		if err != nil {
			return nil, inSet(set, err)
		}
		if changed {
			out.Update = append(out.Update, *desired)
		}
	}
	if Keeps(set, exp) != KeepsByPolicy {
		for _, app := range live {
			if !wanted[app.Name] {
				out.Delete = append(out.Delete, app)
			}
		}
		slices.SortFunc(out.Delete, byName)
	}
	return out, nil
}
