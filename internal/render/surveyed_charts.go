package render

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk"
)

const (
	// chartHome is where charts are that a kustomization names no folder for.
	chartHome = "charts"
	// maxPlaces bounds the places that the charts of a kustomization are looked for in.
	maxPlaces = 10_000
)

// charts follows the charts that a kustomization has in folders, wherever it may
// find them: in the place of the name below a home, with or without the version.
func (v survey) charts(dir string, doc map[string]any, depth int) error {
	lists := fields(doc, inflated...)
	homes, below := append(named(lists, "chartHome"), chartHome), belowHome(lists)
	if len(homes)*len(below) > maxPlaces {
		return errUnfollowed
	}
	for _, home := range homes {
		for _, place := range below {
			if err := v.chart(dir, path.Join(home, place), depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// belowHome are the places below a home that the charts of lists may have.
func belowHome(lists []any) (out []string) {
	for _, entry := range entries(lists) {
		versions := named(entry, "version", "chartVersion")
		for _, name := range named(entry, "name", "chartName") {
			out = append(out, name)
			for _, version := range versions {
				out = append(out, path.Join(name+"-"+version, name))
			}
		}
	}
	return out
}

// entries are the charts of lists.
func entries(lists []any) (out []any) {
	for _, list := range lists {
		all, _ := list.([]any)
		out = append(out, all...)
	}
	return out
}

// named are the texts of fields of the maps in a value, however deep.
func named(value any, names ...string) (out []string) {
	switch x := value.(type) {
	case map[string]any:
		for _, of := range fields(x, names...) {
			if text, is := of.(string); is {
				out = append(out, text)
			}
		}
		for _, below := range x {
			out = append(out, named(below, names...)...)
		}
	case []any:
		for _, below := range x {
			out = append(out, named(below, names...)...)
		}
	}
	return out
}

// chart notes a folder with a chart, and the charts that it takes from beside it,
// also those that it has vendored besides.
func (v survey) chart(dir, rel string, depth int) error {
	folder, ok := source.Inside(dir, rel)
	if !ok || v.charted[folder] {
		return nil // what leads out of the tree is refused
	}
	tree := v.source.Tree
	info, err := tree.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil // noted as it is
	}
	if err != nil {
		return err
	}
	if depth > maxBases || len(v.charted) >= maxSurveyed || linked(tree.Unrecorded(), folder) {
		return errUnfollowed
	}
	v.charted[folder] = true
	if _, err := tree.Digest(folder); err != nil {
		return err
	}
	found, err := v.dependencies(folder)
	if err != nil || found.moves {
		return cmp.Or(err, errMoves)
	}
	if found.unfollowed {
		return errUnfollowed
	}
	for _, at := range found.beside {
		if err := v.chart(at.dir, at.rel, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// dependencies is what a chart, and those vendored in it, take from elsewhere.
type dependencies struct {
	// beside are those in the same tree.
	beside []besideChart
	// moves is set where one may be something else for each input, unfollowed where
	// nobody can tell which there are.
	moves, unfollowed bool
}

// besideChart is a path as a chart says it, and the folder that it is seen from.
type besideChart struct{ dir, rel string }

// local reports whether there may be any in the same tree.
func (d dependencies) local() bool { return len(d.beside) > 0 || d.unfollowed }

// dependencies looks through the charts in a folder.
func (v survey) dependencies(dir string) (out dependencies, err error) {
	err = fs.WalkDir(walk.Over(v.ctx, v.source.Tree.Unrecorded()), dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			out.unfollowed = true // it may lead to a chart that the walk does not enter
			return nil
		}
		if base := path.Base(name); e.IsDir() || base != "Chart.yaml" && base != "requirements.yaml" {
			return nil
		}
		doc, err := v.document(name)
		if err != nil {
			return err
		}
		for _, address := range texts(fields(doc, "dependencies")) {
			v.dependency(&out, path.Dir(name), address)
		}
		return nil
	})
	return out, err
}

func (v survey) dependency(out *dependencies, dir, address string) {
	if rel, is := strings.CutPrefix(address, "file://"); is {
		out.beside = append(out.beside, besideChart{dir: dir, rel: rel})
		return
	}
	out.unfollowed = out.unfollowed || strings.HasPrefix(address, "file:")
	out.moves = out.moves || strings.Contains(address, ":") && !v.steady(address)
}
