package preview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// groups joins applications whose change is the same but for their own names
// and clusters.
func (c *comparison) groups() []forecast.Group {
	byChange := map[string][]*pair{}
	var order []string
	for _, p := range c.pairs {
		if p.change == "" {
			continue
		}
		key := p.shape()
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

// shape is the change as text, with the application's own names taken out.
func (p *pair) shape() string {
	a := p.any()
	objects := slices.Clone(p.objects.Objects)
	for i := range objects {
		objects[i].File, objects[i].Line = "", 0
	}
	text, err := json.Marshal(struct {
		Change  forecast.Change
		Parent  ID
		Unknown bool
		Fields  []forecast.Field
		Objects []forecast.Object
	}{p.change, withoutNames(a.Parent), p.unknown, p.fields, objects})
	if err != nil {
		return a.ID.String()
	}
	out := string(text)
	for _, n := range []struct{ name, stands string }{
		{a.Name, "<application>"}, {a.Cluster.Server, "<server>"}, {a.Cluster.Name, "<cluster>"},
	} {
		out = replaceWord(out, n.name, n.stands)
	}
	return out
}

// withoutNames keeps sets apart from one another, and not the applications
// that app-of-apps make.
func withoutNames(parent ID) ID {
	if parent.Kind == v1alpha1.ApplicationSetKind {
		return parent
	}
	return ID{Kind: parent.Kind}
}

// inWord reports whether a byte goes on with a word.
func inWord(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// replaceWord replaces a name where no letter or digit goes on before or after it.
func replaceWord(text, name, with string) string {
	if name == "" {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, name)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(name)
		whole := (i == 0 || !inWord(text[i-1])) && (end == len(text) || !inWord(text[end]))
		b.WriteString(text[:i])
		if whole {
			b.WriteString(with)
		} else {
			b.WriteString(name)
		}
		text = text[end:]
	}
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
		for _, cause := range p.causes {
			if !slices.Contains(g.Causes, cause) && len(g.Causes) < maxCauses {
				g.Causes = append(g.Causes, cause)
			}
		}
	}
	g.Title = c.title(all)
	return g
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
