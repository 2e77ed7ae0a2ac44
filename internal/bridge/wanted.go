package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of values that are written to cluster Secrets.
const (
	MaxValue   = 32 << 10 // bytes of one annotation
	maxWritten = 128 << 10
)

// Wanted is a key with the value that a ClusterMetadata gives it.
type Wanted struct {
	Key   Key
	Value string
	// Lost tells that the value cannot be had now: the key keeps what it has.
	Lost bool
}

// Problem is why a key is not as it should be.
type Problem struct {
	Key     Key
	Cluster string
	Message string
}

// Write is what a manager has to apply to one Secret.
type Write struct {
	Labels, Annotations map[string]string
	// Changed is false where the Secret is so already.
	Changed  bool
	Problems []Problem
}

// PlanWrite tells what a field manager is to apply to a Secret so that it has
// the wanted keys, and none of its former ones. A key that another manager
// holds with another value stays that manager's.
func PlanWrite(manager, cluster string, meta *metav1.PartialObjectMetadata, wanted []Wanted) Write {
	holders := Holders(meta.ManagedFields)
	out := Write{Labels: map[string]string{}, Annotations: map[string]string{}}
	for _, w := range wanted {
		value, there := valueOf(meta, w.Key)
		own := slices.Contains(holders[w.Key], manager)
		if w.Lost {
			if own && there {
				out.put(w.Key, value)
			}
			continue
		}
		if others := without(holders[w.Key], manager); len(others) > 0 && there && value != w.Value {
			out.Problems = append(out.Problems, Problem{w.Key, cluster, heldBy(manager, others)})
			continue
		}
		out.put(w.Key, w.Value)
	}
	out.bound(cluster)
	out.Changed = !out.isIn(manager, meta, holders)
	return out
}

func (w *Write) put(k Key, value string) {
	if k.In == Label {
		w.Labels[k.Name] = value
		return
	}
	w.Annotations[k.Name] = value
}

// isIn reports whether a Secret has exactly these keys of the manager.
func (w *Write) isIn(manager string, meta *metav1.PartialObjectMetadata, holders map[Key][]string) bool {
	own := 0
	for k, managers := range holders {
		if !slices.Contains(managers, manager) {
			continue
		}
		own++
		value, there := valueOf(meta, k)
		wanted, ok := w.Labels[k.Name]
		if k.In == Annotation {
			wanted, ok = w.Annotations[k.Name]
		}
		if !ok || !there || wanted != value {
			return false
		}
	}
	return own == len(w.Labels)+len(w.Annotations)
}

func valueOf(meta *metav1.PartialObjectMetadata, k Key) (string, bool) {
	m := meta.Annotations
	if k.In == Label {
		m = meta.Labels
	}
	v, ok := m[k.Name]
	return v, ok
}

func without(all []string, one string) []string {
	out := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one })
	slices.Sort(out)
	return slices.Compact(out)
}

// heldBy names both sources of a key.
func heldBy(manager string, others []string) string {
	names := make([]string, 0, len(others))
	for _, o := range others {
		names = append(names, sourceName(o))
	}
	return fmt.Sprintf("two sources give it different values: %s and %s; it stays as it is: take it out of one of them", sourceName(manager), strings.Join(names, ", "))
}

// ManagerPrefix begins the field managers of ClusterMetadata.
const ManagerPrefix = "causeway-metadata:"

// Manager is the field manager of a ClusterMetadata; a problem where its name
// is too long for one.
func Manager(name string) (string, error) {
	const longest = 128
	if len(ManagerPrefix)+len(name) > longest {
		return "", gitops.Problemf(gitops.Invalid, "the name %q is longer than %d letters", name, longest-len(ManagerPrefix)).Do("choose a shorter name")
	}
	return ManagerPrefix + name, nil
}

// terraformManager is the field manager of the Terraform provider, which is a
// module of its own.
const terraformManager = "causeway-terraform"

// sourceName is how people know a field manager.
func sourceName(manager string) string {
	if name, ok := strings.CutPrefix(manager, ManagerPrefix); ok {
		return "ClusterMetadata " + name
	}
	if manager == terraformManager {
		return "Terraform (field manager " + manager + ")"
	}
	return manager
}

// Owners are the ClusterMetadata that hold keys of a Secret.
func Owners(fields []metav1.ManagedFieldsEntry) []string {
	var out []string
	for i := range fields {
		if name, ok := strings.CutPrefix(fields[i].Manager, ManagerPrefix); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckWanted tells why a key may not be written with a value; nil when it may.
func CheckWanted(k Key, value string) error {
	name := k.Name
	if k.In == Annotation {
		name = strings.ToLower(name) // as Kubernetes looks at keys of annotations, and not at those of labels
	}
	if wrong := validation.IsQualifiedName(name); len(wrong) > 0 {
		return gitops.Problemf(gitops.Invalid, "the key is not valid: %s", strings.Join(wrong, "; "))
	}
	if Reserved(k.Name) && !strings.HasPrefix(k.Name, FactPrefix) {
		return gitops.Problemf(gitops.Forbidden, "the key belongs to Kubernetes, Argo CD or the engine").Do("choose another key")
	}
	if k.In == Label {
		if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 {
			return gitops.Problemf(gitops.Invalid, "the value cannot be a label: %s", strings.Join(wrong, "; ")).Do("write it as an annotation")
		}
		return nil
	}
	if len(value) > MaxValue {
		return gitops.Problemf(gitops.Invalid, "the value has %d bytes, more than %d", len(value), MaxValue)
	}
	return nil
}

// FactPrefix begins the keys that facts of a cluster are written to by default.
const FactPrefix = "causeway.io/fact-"

// bound drops what makes a write too large for a Secret, and says so. Keys are
// dropped from the end of their order.
func (w *Write) bound(cluster string) {
	size := 0
	for _, k := range slices.Sorted(maps.Keys(w.Annotations)) {
		if size += len(k) + len(w.Annotations[k]); size > maxWritten {
			delete(w.Annotations, k)
			w.Problems = append(w.Problems, Problem{Key{Annotation, k}, cluster, fmt.Sprintf("all values together have more than %d bytes", maxWritten)})
		}
	}
}
