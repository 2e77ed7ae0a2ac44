package generate

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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

// Plan compares an expansion with the live Applications that the set owns. A
// rejected Application is neither changed nor deleted.
func Plan(set *v1alpha1.ApplicationSet, live []v1alpha1.Application, exp *Expansion) (*Changes, error) {
	policy := set.Spec.GetApplicationsSync()
	existing := make(map[string]*v1alpha1.Application, len(live))
	for i := range live {
		existing[live[i].Name] = &live[i]
	}
	wanted := make(map[string]bool, len(exp.Applications)+len(exp.Rejected))
	for _, r := range exp.Rejected {
		wanted[r.Name] = true
	}
	out := &Changes{}
	for i := range exp.Applications {
		app := &exp.Applications[i]
		wanted[app.Name] = true
		old, exists := existing[app.Name]
		if !exists {
			out.Create = append(out.Create, *app)
			continue
		}
		if !policy.AllowUpdate() {
			continue
		}
		desired, changed, err := Merge(old, app, set)
		if err != nil {
			return nil, inSet(set, err)
		}
		if changed {
			out.Update = append(out.Update, *desired)
		}
	}
	if policy.AllowDelete() {
		for _, app := range live {
			if !wanted[app.Name] {
				out.Delete = append(out.Delete, app)
			}
		}
		slices.SortFunc(out.Delete, byName)
	}
	return out, nil
}
