package gitops

import "time"

// AnnotationDrift, on an Application or an object, is the drift policy: heal,
// show or freeze, or a list of rules. See docs/how-to/drift.md.
const AnnotationDrift = OwnPrefix + "drift"

// DriftPolicy says what becomes of a live deviation from what was synced.
type DriftPolicy string

// The drift policies; empty leaves it to selfHeal.
const (
	// DriftHeal undoes it, also where selfHeal is off.
	DriftHeal DriftPolicy = "heal"
	// DriftShow shows the object as OutOfSync and leaves it so until a sync.
	DriftShow DriftPolicy = "show"
	// DriftFreeze keeps what others wrote, also in a sync.
	DriftFreeze DriftPolicy = "freeze"
)

// DriftPolicies are all of them.
var DriftPolicies = []string{string(DriftHeal), string(DriftShow), string(DriftFreeze)}

// Drift is the policy of one object, and those of its fields over it.
type Drift struct {
	Policy DriftPolicy
	// Fields are in the order in which they were written: the last one that
	// matches counts.
	Fields []FieldDrift
}

// FieldDrift is the policy of a field and everything below it.
type FieldDrift struct {
	// Pointer is an RFC 6901 pointer; "*" stands for any field or element.
	Pointer string
	Policy  DriftPolicy
}

// Freezes reports whether some live deviation is kept.
func (d Drift) Freezes() bool {
	for _, f := range d.Fields {
		if f.Policy == DriftFreeze {
			return true
		}
	}
	return d.Policy == DriftFreeze
}

// Deviation is one field in which a live object differs from the desired one,
// and who wrote it.
type Deviation struct {
	// Field has the form spec.template.spec.containers[name="web"].image.
	Field string
	// Manager, Operation and Time are those of the manager that wrote the
	// field last; empty when nobody owns it: it was removed, or never there.
	Manager, Operation string
	Time               time.Time
	// Ours tells that the engine itself wrote the live value: it is the
	// desired one that changed.
	Ours bool
	// Policy is what becomes of it.
	Policy DriftPolicy
}
