package application

import (
	"fmt"
	"regexp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// What deletions count that take more with them than themselves. What is in a
// Namespace, and the objects of a definition, are counted one by one.
const (
	weightOfVolume = 3
	weightOfApp    = 2
)

// prunes are the deletions of a plan, hooks aside.
func prunes(p *gitops.Plan) []*gitops.Action {
	var out []*gitops.Action
	for a := range actions(p) {
		if a.Verb == gitops.Prune && !a.Hook && a.Live != nil {
			out = append(out, a)
		}
	}
	return out
}

// deletionsOf lists what a plan would delete, and how much the application
// has by the same weights. What only moves is not in it: into another
// namespace, or to another name out of a hash of its content.
func (r *Reconciler) deletionsOf(t *target, p *gitops.Plan) (list guard.List, of int) {
	all := prunes(p)
	if len(all) == 0 {
		return nil, 0
	}
	moved := movedIn(p)
	going := map[gitops.Key]bool{}
	for _, a := range all {
		going[a.Key] = true
	}
	for a := range actions(p) {
		switch {
		case a.Live == nil || a.Hook || a.Namespace:
		case !going[a.Key]:
			of += plainWeight(a.Key)
		default:
			d := r.deletion(t, a.Key, going)
			of += d.Weight
			if d.Weight > 1 || !moves(a.Key, moved) {
				list = append(list, d)
			}
		}
	}
	return list, of
}

func plainWeight(k gitops.Key) int {
	switch {
	case k.Group == v1alpha1.Group && (k.Kind == v1alpha1.ApplicationKind || k.Kind == v1alpha1.ApplicationSetKind):
		return weightOfApp
	case k.Group == "" && (k.Kind == "PersistentVolumeClaim" || k.Kind == "PersistentVolume"):
		return weightOfVolume
	}
	return 1
}

// deletion weighs what goes with one object, as far as it is known without
// asking the cluster.
func (r *Reconciler) deletion(t *target, k gitops.Key, going map[gitops.Key]bool) guard.Deletion {
	d := guard.Deletion{Name: k.String(), Weight: plainWeight(k)}
	switch {
	case k.Group == "" && k.Kind == "Namespace":
		inside := t.cluster.Inside(k.Name, func(key gitops.Key) bool { return !going[key] })
		if d.Weight += inside; inside > 0 {
			d.With = "with at least " + gitops.Count(inside, "object") + " in it"
		}
	case k.Group == "apiextensions.k8s.io" && k.Kind == "CustomResourceDefinition":
		instances := t.cluster.Instances(k.Name)
		if d.Weight += instances; instances > 0 {
			d.With = "with " + gitops.Count(instances, "object") + " of its kind"
		}
	case k.Group == "" && d.Weight == weightOfVolume:
		d.With = "with its data, as its reclaim policy says"
	case k.Group == v1alpha1.Group && k.Kind == v1alpha1.ApplicationKind:
		if n := r.Apps.cascading(k); n > 0 {
			d.With = "with its " + gitops.Count(n, "object")
		}
	case k.Group == v1alpha1.Group && k.Kind == v1alpha1.ApplicationSetKind:
		if n := r.Apps.generatedBy(k); n > 0 {
			d.Weight += n * weightOfApp
			d.With = "with its " + gitops.Count(n, "application")
		}
	}
	return d
}

// childApps are the Applications in a list, and one name for each that goes
// with an ApplicationSet.
func childApps(list guard.List) []string {
	var out []string
	for _, d := range list {
		app, set := v1alpha1.Group+"/"+v1alpha1.ApplicationKind+":", v1alpha1.Group+"/"+v1alpha1.ApplicationSetKind+":"
		if len(d.Name) > len(app) && d.Name[:len(app)] == app {
			out = append(out, d.Name)
		}
		if len(d.Name) > len(set) && d.Name[:len(set)] == set {
			for i := range (d.Weight - weightOfApp) / weightOfApp {
				out = append(out, fmt.Sprintf("%s#%d", d.Name, i))
			}
		}
	}
	return out
}

// position is what stays of an object when it moves.
type position struct{ group, kind, name string }

// hashed is the suffix that Kustomize gives to names out of the content.
var hashed = regexp.MustCompile(`-[bcdfghkmt2456789]{10}$`)

func place(k gitops.Key) position {
	return position{k.Group, k.Kind, hashed.ReplaceAllString(k.Name, "-")}
}

// movedIn counts the objects that a plan makes anew at each position: each of
// them is the new place of one that goes.
func movedIn(p *gitops.Plan) map[position]int {
	out := map[position]int{}
	for a := range actions(p) {
		if a.Verb == gitops.Create && !a.Hook {
			out[place(a.Key)]++
		}
	}
	return out
}

// moves reports whether an object that goes is made anew elsewhere, and takes
// its new place.
func moves(k gitops.Key, moved map[position]int) bool {
	if moved[place(k)] == 0 {
		return false
	}
	moved[place(k)]--
	return true
}
