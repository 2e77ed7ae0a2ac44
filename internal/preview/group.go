package preview

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
)

// groups joins applications whose change is the same but for their own names
// and clusters: objects, images and risks of the first are those of all.
func (c *comparison) groups() []forecast.Group {
	byChange := map[[sha256.Size]byte][]*pair{}
	var order [][sha256.Size]byte
	for _, p := range c.pairs {
		if p.change == "" {
			continue
		}
		key := p.alike
		if byChange[key] == nil {
			order = append(order, key)
		}
		byChange[key] = append(byChange[key], p)
	}
	out := make([]forecast.Group, 0, len(order))
	for _, key := range order {
		out = append(out, c.group(byChange[key]))
	}
	slices.SortStableFunc(out, func(a, b forecast.Group) int {
		return cmp.Or(cmp.Compare(len(b.Risks), len(a.Risks)), cmp.Compare(len(b.Applications), len(a.Applications)), strings.Compare(a.Title, b.Title))
	})
	return out
}

// shape is the change as a digest, without the names that are the application's
// own. It is told while the renderings are at hand.
func (p *pair) shape(base, head *gitops.Rendering) [sha256.Size]byte {
	a := p.any()
	own := object.Own{
		Application: a.Name, Cluster: a.Cluster.Name, Server: a.Cluster.Server,
		Namespace: a.Spec.Destination.Namespace, Manifests: slices.Concat(manifests(base), manifests(head)),
	}
	text, err := object.Alike(own, p.fields, p.objects)
	if err != nil {
		text = a.ID.String()
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %t %s", p.change, withoutNames(a.Parent), p.unknown, text))
}

// manifests of a rendering, which may not be there.
func manifests(r *gitops.Rendering) []gitops.Manifest {
	if r == nil {
		return nil
	}
	return r.Manifests
}

// withoutNames keeps sets apart from one another, and not the applications
// that app-of-apps make.
func withoutNames(parent ID) ID {
	if parent.Kind == v1alpha1.ApplicationSetKind {
		return parent
	}
	return ID{Kind: parent.Kind}
}

func (c *comparison) group(all []*pair) forecast.Group {
	first := all[0]
	g := forecast.Group{
		Change: first.change, Fields: first.fields, Objects: first.objects.Objects,
		Images: first.objects.Images, Risks: first.objects.Risks,
	}
	for _, p := range all {
		a := p.any()
		parent := ""
		if a.Parent != (ID{}) {
			parent = a.Parent.Kind + " " + a.Parent.Name
		}
		g.Applications = append(g.Applications, forecast.Application{
			Namespace: a.ID.Namespace, Name: a.Name, Cluster: a.Cluster.Name, Project: a.Spec.GetProject(), Parent: parent,
		})
	}
	g.Causes, g.Title = causesOf(all), c.title(all)
	return g
}

// causesOf are the causes of applications, the first of them, and how many more
// there are at least.
func causesOf(all []*pair) []forecast.Cause {
	var out []forecast.Cause
	more, left := 0, map[forecast.Cause]bool{}
	for _, p := range all {
		more = max(more, p.moreCauses)
		for _, cause := range p.causes {
			switch {
			case slices.Contains(out, cause):
			case len(out) < maxCauses:
				out = append(out, cause)
			default:
				left[cause] = true
			}
		}
	}
	if more += len(left); more > 0 {
		out = append(out, forecast.Cause{Kind: out[len(out)-1].Kind, What: fmt.Sprintf("%d more", more)})
	}
	return out
}

// title says which applications and which clusters in few words.
func (c *comparison) title(all []*pair) string {
	a := all[0].any()
	what := fmt.Sprintf("%d applications", len(all))
	sameSet := a.Parent.Kind == v1alpha1.ApplicationSetKind
	clusters := map[string]bool{}
	for _, p := range all {
		sameSet = sameSet && p.any().Parent == a.Parent
		clusters[orElse(p.any().Cluster.Name, "unknown cluster")] = true
	}
	switch {
	case len(all) == 1:
		what = a.Name
	case sameSet:
		what = a.Parent.Name
	}
	return what + " on " + c.where(clusters)
}

// common are the labels by which people group clusters.
var common = []string{"environment", "env", "stage", "tier", "region"}

// where names clusters: all of a few, or how many of which environment.
func (c *comparison) where(clusters map[string]bool) string {
	var names []string
	for n := range clusters {
		names = append(names, n)
	}
	slices.Sort(names)
	if len(names) <= 2 {
		return strings.Join(names, " and ")
	}
	for _, label := range common {
		values := map[string]bool{}
		for _, n := range names {
			values[c.label(n, label)] = true
		}
		if len(values) == 1 && !values[""] {
			return fmt.Sprintf("%d %s clusters", len(names), c.label(names[0], label))
		}
	}
	if len(names) <= 4 {
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return fmt.Sprintf("%d clusters", len(names))
}

func (c *comparison) label(cluster, label string) string {
	for _, s := range []*State{c.after, c.before} {
		if found, ok := clusterOf(s, cluster); ok {
			return found.Labels[label]
		}
	}
	return ""
}
