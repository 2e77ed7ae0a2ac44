package differences

import "github.com/causeway-gitops/causeway/internal/plan"

// Difference is one object that a sync would change, as it is printed.
type Difference struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Action    string `json:"action"`
	Source    string `json:"source,omitempty"`
	Drifted   string `json:"drifted,omitempty"`
	// Kept tells why a sync leaves it although it is no longer in the sources.
	Kept    string   `json:"kept,omitempty"`
	Changes []Change `json:"changes,omitempty"`
}

// Change is a field of an object that a sync would change.
type Change struct {
	Path string `json:"path,omitempty"`
	Old  any    `json:"old,omitempty"`
	New  any    `json:"new,omitempty"`
}

// Printed are those of objects in the form that is printed as JSON.
func Printed(all []plan.ObjectDiff) []Difference {
	out := make([]Difference, 0, len(all))
	for _, o := range all {
		one := Difference{
			Group: o.Key.Group, Kind: o.Key.Kind, Namespace: o.Key.Namespace, Name: o.Key.Name,
			Action: string(o.Verb), Source: o.Origin.String(), Drifted: o.Drifted, Kept: o.Kept,
		}
		for _, c := range o.Diff.Changes {
			one.Changes = append(one.Changes, Change{Path: c.Path, Old: c.Old, New: c.New})
		}
		out = append(out, one)
	}
	return out
}
