package environment

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Aspects in which a product differs between two environments.
const (
	aspectPlace   = "place"
	aspectVersion = "version"
	aspectValues  = "values"
	aspectImages  = "images"
)

// between are the aspects in which two environments of a product differ. Of
// several Applications in one, values and images are those of the Latest.
func (g *group) between(from, to string) []string {
	a, b := g.cells[from], g.cells[to]
	switch {
	case len(a) == 0 && len(b) == 0:
		return nil
	case len(a) == 0 || len(b) == 0:
		return []string{aspectPlace}
	}
	var out []string
	if !slices.Equal(versions(a), versions(b)) {
		out = append(out, aspectVersion)
	}
	x, y := Latest(a), Latest(b)
	one, _ := valuesOf(x)
	other, _ := valuesOf(y)
	if one != other {
		out = append(out, aspectValues)
	}
	if len(alone(x.Images, y.Images)) > 0 || len(alone(y.Images, x.Images)) > 0 {
		out = append(out, aspectImages)
	}
	return out
}

// compare tells a product what differs between two of its environments. Their
// cells have the images first that the other one has not: a cell has few.
func (g *group) compare(p *Product, from, to string) {
	p.Between = g.between(from, to)
	if !slices.Contains(p.Between, aspectImages) {
		return
	}
	x, y := Latest(g.cells[from]).Images, Latest(g.cells[to]).Images
	for name, images := range map[string][]string{from: alone(x, y), to: alone(y, x)} {
		cell := p.Cells[name]
		cell.Images = slices.Concat(images, alone(cell.Images, images))
		cell.Images = cell.Images[:min(len(cell.Images), mostImages)]
		p.Cells[name] = cell
	}
}

// alone are those of a list that another one has not.
func alone(list, other []string) []string {
	var out []string
	for _, one := range list {
		if !slices.Contains(other, one) {
			out = append(out, one)
		}
	}
	return out
}

// versions are those that run, each once.
func versions(rows []*view.Row) []string {
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		out = append(out, Version(r))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
