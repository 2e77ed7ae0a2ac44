package gitops

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Key identifies an object inside a cluster whatever version it is read in.
type Key struct {
	Group, Kind, Namespace, Name string
}

// String has the form of a tracking id's tail: group/kind:namespace/name.
func (k Key) String() string {
	return fmt.Sprintf("%s/%s:%s/%s", k.Group, k.Kind, k.Namespace, k.Name)
}

// IsDefinition reports whether it is the key of a CustomResourceDefinition.
func (k Key) IsDefinition() bool {
	return k.Group == "apiextensions.k8s.io" && k.Kind == "CustomResourceDefinition"
}

// KeyOf returns the key of an object.
func KeyOf(o *unstructured.Unstructured) Key {
	gvk := o.GroupVersionKind()
	return Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}

// Origin says where a manifest was written.
type Origin struct {
	// Source is the index in the application's list of sources.
	Source   int
	RepoURL  string
	Revision string
	// File is relative to the snapshot's root; empty when the renderer
	// cannot tell. Line counts from 1; 0 is unknown.
	File string
	Line int
}

// String is empty, "file" or "file:line".
func (o Origin) String() string {
	if o.Line == 0 {
		return o.File
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Manifest is one desired object with its origin.
type Manifest struct {
	Object *unstructured.Unstructured
	Origin Origin
	// Hidden are those of the Rendering that it is of; in memory only.
	Hidden []string `json:"-"`
}

// With is the manifest with another object in its place.
func (m Manifest) With(o *unstructured.Unstructured) *Manifest {
	m.Object = o
	return &m
}

// Key returns the key of the manifest's object.
func (m Manifest) Key() Key { return KeyOf(m.Object) }

// SourceType is how a source is rendered, in the words of the Application's status.
type SourceType string

// The source types of this engine.
const (
	SourceHelm      SourceType = "Helm"
	SourceKustomize SourceType = "Kustomize"
	SourceDirectory SourceType = "Directory"
	SourcePlugin    SourceType = "Plugin"
)

// Rendering is what an application's sources gave.
type Rendering struct {
	// Manifests of all sources in order; an object that several sources give
	// is still there several times.
	Manifests []Manifest
	// Digest names the content of Manifests.
	Digest string
	// Types has one entry a source; empty for a source that renders nothing.
	Types []SourceType
	// Revisions has the resolved revision of each source.
	Revisions []string
	// Reused tells that nothing was rendered: every recorded read still holds.
	Reused bool
	// Remotes were read besides the application's own sources: bases and
	// dependencies from elsewhere, each once. A change of one may change the
	// manifests.
	Remotes []SourceRef
	// Warnings are for people; they never fail a sync.
	Warnings []Warning
	// Hidden are decrypted values that were read, in the forms in which they
	// may come up in what is shown; in memory only.
	Hidden []string `json:"-"`
}

// MissingValueFile is the reason of a warning about a value file that is not
// there and may be missing: how layers are meant to work, unless it exists for
// no cluster at all. It is of use to those who look at all of them.
const MissingValueFile = "MissingValueFile"

// SchemaElsewhere is the reason of a warning about a chart whose schema refers
// to others by address: nothing is read from there, and not checked.
const SchemaElsewhere = "SchemaElsewhere"

// Warning is something that works as it does in Argo CD but is likely a mistake.
type Warning struct {
	Reason  string // a CamelCase word for machines
	Message string
	Origin  Origin
	// Key is the parameter that the warning is about, if any, as in
	// metadata.labels.environment.
	Key string
	// Clusters and Applications are those that the message names, and Fleet tells
	// that it may have what any cluster says. Bare is the message for who may not
	// read all of them; empty where it is for everybody.
	Clusters, Applications []string
	Fleet                  bool
	Bare                   string
	// More is set in one that tells of nothing itself: so many further warnings
	// of its reason are left out.
	More int
}
