package gitops

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TrackingMethod says how objects are marked as an application's.
type TrackingMethod string

// The tracking methods, in the words of argocd-cm.
const (
	TrackByAnnotation TrackingMethod = "annotation"
	TrackByLabel      TrackingMethod = "label"
	TrackByBoth       TrackingMethod = "annotation+label"
)

// AnnotationInstallation names the installation, where several share a cluster.
const AnnotationInstallation = AnnotationPrefix + "installation-id"

// LabelInstance is the label of tracking by label, unless argocd-cm names another.
const LabelInstance = "app.kubernetes.io/instance"

// Tracking is how an installation marks objects; the zero value marks by
// annotation.
type Tracking struct {
	Method TrackingMethod
	// Label is the key of tracking by label; LabelInstance when empty.
	Label string
	// Installation is written beside the annotation when it is not empty.
	Installation string
}

// Elsewhere reports whether a mark is another installation's than this one, by the
// annotation beside it: several that share a cluster may have Applications of one
// name. Argo CD takes what bears a name as its own where it has none itself: that
// deletes what is not its own, so it is not done here.
func (t Tracking) Elsewhere(installation string) bool { return installation != t.Installation }

// Owning is the Tracking by which this engine finds its objects again. That
// is the annotation in any case: a label is shared with other tools, and too
// short for some names. Where an installation asks for the label, it is
// written as well.
func (t Tracking) Owning() Tracking {
	if t.Method == TrackByLabel {
		t.Method = TrackByBoth
	}
	return t
}

// Mark marks an object as the application's. The key's namespace is the
// destination's for an object without one, also when it is cluster-scoped.
// CustomResourceDefinitions get no mark: they outlive the applications that
// bring them. Maps of the object's metadata are replaced, not changed.
func (t Tracking) Mark(o *unstructured.Unstructured, app string, k Key) {
	if k.Group == "apiextensions.k8s.io" && k.Kind == "CustomResourceDefinition" {
		t.Disown(o, app)
		return
	}
	if t.Method != TrackByLabel {
		add := map[string]any{AnnotationTracking: TrackingID(app, k)}
		if t.Installation != "" {
			add[AnnotationInstallation] = t.Installation
		}
		extend(o, "annotations", add)
		if t.Installation == "" {
			unclaim(o)
		}
	}
	if t.Method == TrackByLabel || t.Method == TrackByBoth {
		label := t.Label
		if label == "" {
			label = LabelInstance
		}
		extend(o, "labels", map[string]any{label: labelValue(app)})
	}
}

// Disown takes from an object that is to get no mark what says that it is
// another application's, or another installation's: whoever writes it could
// otherwise have the one that it names delete it, or wait for it. It returns the
// annotations that it took. Maps of the object's metadata are replaced, not changed.
func (t Tracking) Disown(o *unstructured.Unstructured, app string) (taken []string) {
	metadata, _ := o.Object["metadata"].(map[string]any)
	old, _ := metadata["annotations"].(map[string]any)
	id, _ := old[AnnotationTracking].(string)
	at, _ := old[AnnotationInstallation].(string)
	of, _, _ := ParseTrackingID(id)
	if at == t.Installation && (id == "" || of == app) {
		return nil
	}
	kept := maps.Clone(old)
	for _, key := range []string{AnnotationTracking, AnnotationInstallation} {
		if _, there := old[key]; there {
			taken = append(taken, key)
			delete(kept, key)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	metadata["annotations"] = kept
	if len(kept) == 0 {
		delete(metadata, "annotations")
	}
	return taken
}

// maxLabel is the most characters of a label's value.
const maxLabel = 63

// labelValue shortens a name to what a label can hold.
func labelValue(name string) string {
	if len(name) <= maxLabel {
		return name
	}
	return strings.TrimRight(name[:maxLabel], "-_.")
}

// unclaim drops a manifest's own name of an installation: its object would be taken for
// that one's, and never be pruned or deleted here. The map is extend's.
func unclaim(o *unstructured.Unstructured) {
	metadata, _ := o.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	delete(annotations, AnnotationInstallation)
}

func extend(o *unstructured.Unstructured, field string, add map[string]any) {
	metadata, _ := o.Object["metadata"].(map[string]any)
	if metadata == nil {
		return
	}
	old, _ := metadata[field].(map[string]any)
	all := make(map[string]any, len(old)+len(add))
	maps.Copy(all, old)
	maps.Copy(all, add)
	metadata[field] = all
}
