package preview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
)

// stays tells why the objects of an application are left where they are
// although the application goes or moves; empty when they are not.
func (p *pair) stays() string {
	switch {
	case p.base == nil:
		return ""
	case p.head == nil && !cascades(p.base.Finalizers):
		return fmt.Sprintf("Application %s has no finalizer %s: its objects stay", p.base.Name, v1alpha1.FinalizerResources)
	case p.head != nil && p.base.Cluster.Server != p.head.Cluster.Server && p.base.Cluster.Server != "" && p.head.Cluster.Server != "":
		return fmt.Sprintf("Application %s goes from cluster %s to %s: its objects on %s stay", p.base.Name, p.base.Cluster.Name, p.head.Cluster.Name, p.base.Cluster.Name)
	}
	return ""
}

// cascades reports whether the deletion of an Application deletes its objects.
func cascades(finalizers []string) bool {
	return slices.ContainsFunc(finalizers, func(f string) bool {
		return f == v1alpha1.FinalizerResources || f == v1alpha1.FinalizerResourcesForeground || f == v1alpha1.FinalizerResourcesBackground
	})
}

// between compares the objects of both sides, each where it is: one that goes
// to another namespace is removed from the old one and added to the new one.
func (p *pair) between(before, after []gitops.Manifest) object.Comparison {
	o := p.options()
	whole := object.Compare(before, after, o)
	if p.base == nil || p.head == nil || p.base.Spec.Destination.Namespace == p.head.Spec.Destination.Namespace {
		return whole
	}
	old := o
	old.Namespace = p.base.Spec.Destination.Namespace
	gone, come := object.Compare(before, nil, old), object.Compare(nil, after, o)
	was, is := keys(gone.Objects), keys(come.Objects)
	keep := func(c object.Comparison, both bool) object.Comparison {
		kept := map[string]bool{}
		c.Objects = slices.DeleteFunc(c.Objects, func(x forecast.Object) bool {
			k := keyOf(x)
			if (was[k] && is[k]) != both {
				return true
			}
			kept[riskName(x)] = true
			return false
		})
		c.Risks = slices.DeleteFunc(c.Risks, func(r forecast.Risk) bool { return !kept[r.Object] })
		return c
	}
	whole, gone, come = keep(whole, true), keep(gone, false), keep(come, false)
	out := object.Comparison{
		Objects: slices.Concat(whole.Objects, gone.Objects, come.Objects), Risks: slices.Concat(whole.Risks, gone.Risks, come.Risks), Images: whole.Images,
	}
	slices.SortStableFunc(out.Objects, func(a, b forecast.Object) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func keys(all []forecast.Object) map[gitops.Key]bool {
	out := map[gitops.Key]bool{}
	for _, o := range all {
		out[keyOf(o)] = true
	}
	return out
}

func keyOf(o forecast.Object) gitops.Key {
	return gitops.Key{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// riskName is how a risk names an object.
func riskName(o forecast.Object) string {
	return gitops.ObjectName(o.Kind, o.Namespace, o.Name)
}
