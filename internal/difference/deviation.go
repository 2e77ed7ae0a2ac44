package difference

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Deviation is a field in which a live object differs from what an apply would
// make of it, and who wrote it.
type Deviation struct {
	gitops.Deviation

	// Path names the field in both objects.
	Path fieldpath.Path
}

// maxDeviations bounds the fields that are told of one object.
const maxDeviations = 100

// Deviations compares a live object with what an apply by a manager would
// make of it, and tells from managedFields who wrote what differs. In lists
// with keys, elements are matched by them; other lists are one value. What is
// to be ignored, such as the status, has to be taken out of both before.
func Deviations(live, predicted *unstructured.Unstructured, manager string, drift gitops.Drift) ([]Deviation, error) {
	differs, err := differing(live, predicted)
	if err != nil {
		return nil, err
	}
	owners, err := readOwners(live)
	if err != nil {
		return nil, err
	}
	leaves := differs.Leaves()
	tooMany := decidable(leaves, len(owners), len(drift.Fields), live.Object)
	if tooMany != nil && (drift.Freezes() || len(drift.Fields) > 0) {
		return nil, tooMany
	}
	var out []Deviation
	leaves.Iterate(func(path fieldpath.Path) {
		if tooMany != nil && len(out) == maxDeviations {
			return // they are told alone, as all have one policy
		}
		d := owners.deviation(path.Copy(), manager)
		d.Policy = policyOf(drift, d, live.Object)
		out = append(out, d)
	})
	slices.SortFunc(out, func(a, b Deviation) int { return cmp.Compare(a.Field, b.Field) })
	return out, nil
}

// differing are the paths at which two objects differ.
func differing(live, predicted *unstructured.Unstructured) (*fieldpath.Set, error) {
	a, b := &unstructured.Unstructured{Object: Whole(live.Object)}, &unstructured.Unstructured{Object: Whole(predicted.Object)}
	if err := sortable(a, b); err != nil {
		return nil, err
	}
	want, have, ok := typedPair(b, a)
	if !ok {
		var err error
		if have, err = typed.DeducedParseableType.FromUnstructured(a.Object); err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot compare: %w", err)
		}
		if want, err = typed.DeducedParseableType.FromUnstructured(b.Object); err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot compare: %w", err)
		}
	}
	c, err := have.Compare(want)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot compare: %w", err)
	}
	return c.Modified.Union(c.Added).Union(c.Removed), nil
}

type owner struct {
	entry metav1.ManagedFieldsEntry
	set   *fieldpath.Set
}

type owners []owner

func readOwners(live *unstructured.Unstructured) (owners, error) {
	var out owners
	for _, entry := range live.GetManagedFields() {
		set, err := fieldsOf(entry)
		if err != nil {
			return nil, err
		}
		out = append(out, owner{entry, set})
	}
	return out, nil
}

// deviation tells of the manager that wrote a field last.
func (o owners) deviation(path fieldpath.Path, manager string) Deviation {
	d := Deviation{Path: path}
	d.Field = fieldText(path)
	for _, owner := range o {
		e := owner.entry
		if !holds(owner.set, path) {
			continue
		}
		if e.Manager == manager {
			d.Ours = true
			continue
		}
		if d.Manager != "" && (e.Time == nil || !e.Time.After(d.Time)) {
			continue
		}
		d.Manager, d.Operation = e.Manager, string(e.Operation)
		if e.Time != nil {
			d.Time = e.Time.UTC()
		}
	}
	return d
}

// holds reports whether a manager owns a field, or anything below it.
func holds(set *fieldpath.Set, path fieldpath.Path) bool {
	if set.Has(path) {
		return true
	}
	for _, element := range path {
		if set = set.WithPrefix(element); set.Empty() {
			return false
		}
	}
	return true
}

// policyOf is what becomes of a deviation. Frozen is what others wrote: what
// the engine wrote itself follows Git. A field that nobody owns any more is
// kept away only where the policy names it: it may as well be new in Git.
func policyOf(drift gitops.Drift, d Deviation, live map[string]any) gitops.DriftPolicy {
	policy, named := drift.Policy, false
	for _, f := range drift.Fields {
		if under(d.Path, PointerParts(f.Pointer), live) {
			policy, named = f.Policy, true
		}
	}
	if policy == gitops.DriftFreeze && (d.Ours || d.Manager == "" && !named) {
		return ""
	}
	return policy
}
