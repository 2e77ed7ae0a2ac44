package bridge

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Place is where a Secret holds metadata.
type Place string

// The places.
const (
	Label      Place = "label"
	Annotation Place = "annotation"
)

// Key names one label or annotation.
type Key struct {
	In   Place  `json:"in"`
	Name string `json:"key"`
}

// Parameter is the key as templates ask for it: metadata.labels.environment.
func (k Key) Parameter() string {
	if k.In == Label {
		return labelsPrefix + k.Name
	}
	return annotationsPrefix + k.Name
}

func (k Key) String() string { return string(k.In) + " " + k.Name }

const (
	labelsPrefix      = "metadata.labels."
	annotationsPrefix = "metadata.annotations."
)

// keyOf is the key that a parameter asks for; false for one that is no
// metadata, or is a whole map.
func keyOf(parameter string) (Key, bool) {
	if name, ok := strings.CutPrefix(parameter, labelsPrefix); ok && name != "" {
		return Key{Label, name}, true
	}
	if name, ok := strings.CutPrefix(parameter, annotationsPrefix); ok && name != "" {
		return Key{Annotation, name}, true
	}
	return Key{}, false
}

// compare orders labels before annotations, each by name.
func (k Key) compare(o Key) int {
	return cmp.Or(-strings.Compare(string(k.In), string(o.In)), strings.Compare(k.Name, o.Name))
}

// Setter is who set a key.
type Setter struct {
	// Manager of the field, as the API server notes it; empty when unknown.
	Manager string `json:"manager,omitempty"`
	// Time of the manager's last write; zero when unknown.
	Time time.Time `json:"time,omitzero"`
	// Source is the ClusterMetadata behind the manager, and where that has the
	// value from; empty for other managers.
	Source string `json:"source,omitempty"`
	// Metadata is Source without where the value comes from, for those who are
	// not to know what there is in other namespaces.
	Metadata string `json:"-"`
	// Where it is written, for Secrets that are read from files.
	Where string `json:"where,omitempty"`
}

// Cluster is a cluster with who set what is known of it.
type Cluster struct {
	gitops.Cluster

	// Set has the setters of keys as far as they are known.
	Set map[Key]Setter
}

// Value of a key; false when the cluster does not have it.
func (c Cluster) Value(k Key) (string, bool) {
	if k.In == Label {
		v, ok := c.Labels[k.Name]
		return v, ok
	}
	v, ok := c.Annotations[k.Name]
	return v, ok
}

// With is the cluster's description with another value of a key. Nothing is
// shared with the cluster that would change.
func (c Cluster) With(k Key, value string) gitops.Cluster {
	out := c.Cluster
	if k.In == Label {
		out.Labels = with(c.Labels, k.Name, value)
		return out
	}
	out.Annotations = with(c.Annotations, k.Name, value)
	return out
}

func with(m map[string]string, key, value string) map[string]string {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]string{}
	}
	out[key] = value
	return out
}

// Keys of a cluster that people or tools set, sorted: bookkeeping of kubectl
// and of engines is left out.
func (c Cluster) Keys() []Key {
	out := make([]Key, 0, len(c.Labels)+len(c.Annotations))
	for name := range c.Labels {
		if name != v1alpha1.LabelSecretType {
			out = append(out, Key{Label, name})
		}
	}
	for name := range c.Annotations {
		if !bookkeeping(name) {
			out = append(out, Key{Annotation, name})
		}
	}
	slices.SortFunc(out, Key.compare)
	return out
}

// bookkeeping annotations are not metadata of a cluster: engines and kubectl
// write them for themselves.
func bookkeeping(name string) bool {
	switch name {
	case "kubectl.kubernetes.io/last-applied-configuration", v1alpha1.AnnotationRefresh, v1alpha1.AnnotationHydrate,
		v1alpha1.AnnotationTrackingID, "argocd.argoproj.io/installation-id", "managed-by":
		return true
	}
	return false
}

// Keys sorts keys and drops repeats.
func sortedKeys(all []Key) []Key {
	slices.SortFunc(all, Key.compare)
	return slices.Compact(all)
}
