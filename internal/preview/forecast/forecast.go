// Package forecast is what a preview tells: a document with a version, that
// people read in several forms and machines read as JSON.
//
// It holds no secrets: values of Secrets are masked before they get here.
package forecast

// APIVersion of the document. Fields are only added within a version.
const APIVersion = "preview.causeway.io/v1"

// Forecast says what a change makes of every application on every cluster.
type Forecast struct {
	APIVersion string `json:"apiVersion"`
	// Base is how things are, Head how they would be.
	Base Side `json:"base"`
	Head Side `json:"head"`
	// Clusters that were looked at, sorted.
	Clusters []string `json:"clusters"`
	Summary  Summary  `json:"summary"`
	// Groups of applications with the same change; the most applications first.
	Groups []Group `json:"groups"`
	// Failures are what could not be rendered or compared, Warnings what is likely
	// a mistake; both are of Head only. Those that Base has too are not New.
	Failures []Finding `json:"failures,omitempty"`
	Warnings []Finding `json:"warnings,omitempty"`
	// Missing are sources that cannot be read from here, each once.
	Missing []Missing `json:"missing,omitempty"`
}

// Side is one of the two states.
type Side struct {
	// Revision as it was asked for, and what it resolved to.
	Revision string `json:"revision"`
	Commit   string `json:"commit,omitempty"`
	// Title is the commit's first line.
	Title string `json:"title,omitempty"`
	// Applications there are.
	Applications int `json:"applications"`
}

// Summary counts.
type Summary struct {
	Added     int `json:"added"`
	Removed   int `json:"removed"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	// Unknown applications could not be rendered on one side at least, and it is
	// not certain that they are as they were.
	Unknown int `json:"unknown"`
	// Untold counts the Unknown that cannot be rendered at Head, and the
	// ApplicationSets that cannot be expanded there and may differ.
	Untold  int `json:"untold"`
	Objects struct {
		Added   int `json:"added"`
		Removed int `json:"removed"`
		Changed int `json:"changed"`
	} `json:"objects"`
	// Rendered counts renders that had to run, Reused those that were known.
	Rendered int `json:"rendered"`
	Reused   int `json:"reused"`
}

// Change is what happens to an application or object.
type Change string

// The changes.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
)

// Group is a change that is the same for several applications but for their
// own names and clusters.
type Group struct {
	Change Change `json:"change"`
	// Title names the applications in short: "12 prod clusters".
	Title        string        `json:"title"`
	Applications []Application `json:"applications"`
	// Causes say which edits lead here.
	Causes []Cause `json:"causes,omitempty"`
	// Fields of the Application itself that change.
	Fields []Field `json:"fields,omitempty"`
	// Objects that change, of the first application of the group.
	Objects []Object `json:"objects,omitempty"`
	Images  []Image  `json:"images,omitempty"`
	Risks   []Risk   `json:"risks,omitempty"`
}

// Application is one member of a group.
type Application struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Cluster is the destination's name, or its server.
	Cluster string `json:"cluster"`
	Project string `json:"project,omitempty"`
	// Parent made it: "ApplicationSet addons", "Application root"; empty for a root.
	Parent string `json:"parent,omitempty"`
}

// Cause is an edit that a change comes from.
type Cause struct {
	// Kind is file, value, metadata, spec or source.
	Kind string `json:"kind"`
	// What changed, for people: "values/prod.yaml: replicas 2 → 3".
	What string `json:"what"`
	// File and Line where it is written, if it is.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Field is one changed value. Old or New is absent where there was nothing.
type Field struct {
	// Path in the form spec.template.spec.containers[name=app].image.
	Path string `json:"path"`
	Old  any    `json:"old,omitempty"`
	New  any    `json:"new,omitempty"`
	// Masked values are compared but not shown.
	Masked bool `json:"masked,omitempty"`
}

// Object is one changed object.
type Object struct {
	Change    Change `json:"change"`
	Group     string `json:"group,omitempty"`
	Version   string `json:"version"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Fields that differ; none for an object that is added or removed.
	Fields []Field `json:"fields,omitempty"`
	// Omitted counts fields that differ, too, and are left out.
	Omitted int `json:"omitted,omitempty"`
	// Manifest is the whole object as YAML, masked, when it is added or removed.
	Manifest string `json:"manifest,omitempty"`
	// File and Line are where it is written at Head, or at Base when removed.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Image is a container image that changes, or comes or goes.
type Image struct {
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Objects that run it, as Kind/name.
	Objects []string `json:"objects"`
}

// RiskKind sorts risks; --fail-on names some of them.
type RiskKind string

// The kinds of risks.
const (
	RiskDeletion   RiskKind = "deletion"   // a Namespace, volume or claim goes, and data with it
	RiskCRDRemoved RiskKind = "crdRemoved" // and all objects of its kind
	RiskCRDChanged RiskKind = "crdChanged" // a version, scope, field or validation
	RiskImmutable  RiskKind = "immutable"  // the API server refuses the change: only a replacement makes it
)

// Risk is a change that deserves a second look.
type Risk struct {
	Kind RiskKind `json:"kind"`
	// Object as Kind namespace/name.
	Object  string `json:"object"`
	Message string `json:"message"`
}

// Finding is a failure or a warning.
type Finding struct {
	// Reason is a CamelCase word for machines.
	Reason  string `json:"reason"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	// Subject is the application or set, as Kind namespace/name.
	Subject string `json:"subject,omitempty"`
	// Clusters that it concerns, sorted; none when it does not depend on one.
	Clusters []string `json:"clusters,omitempty"`
	// New is true for one that Base does not have.
	New bool `json:"new"`
}

// Missing is a source that cannot be read from here.
type Missing struct {
	RepoURL  string `json:"repoURL"`
	Chart    string `json:"chart,omitempty"`
	Revision string `json:"revision,omitempty"`
	// Message says why, Command what fetches it.
	Message string `json:"message"`
	Command string `json:"command,omitempty"`
	// Applications that need it.
	Applications []string `json:"applications"`
	// New tells that Base can do without it for one of them.
	New bool `json:"new"`
}
