package kustomize

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of one build.
const (
	// maxLoads bounds the kustomizations that are read, each as often as it is.
	maxLoads = 2000
	// maxNested bounds kustomizations inside kustomizations.
	maxNested = 100
	// maxMounts bounds the bases from elsewhere, maxRemoteDepth those that
	// lead to one another.
	maxMounts      = 200
	maxRemoteDepth = 16
)

// walk follows the library from a kustomization to those that it lists: it
// reads them depth first, in their order.
type walk struct {
	frames []*frame
	loads  int
}

// frame is a kustomization whose bases are being read.
type frame struct {
	dir string
	// children are the folders that it lists and are still to come.
	children []string
	// namespace is its own, or that of those above.
	namespace string
	// prefix and suffix are those of all kustomizations down to it: see joined.
	prefix, suffix string
}

// enter takes the kustomization of a folder as the next one of those that are
// waited for.
func (w *walk) enter(dir string, k *types.Kustomization) *frame {
	w.loads++
	f := &frame{dir: dir, namespace: k.Namespace, prefix: joined(k.NamePrefix), suffix: joined(k.NameSuffix)}
	for len(w.frames) > 0 {
		top := w.frames[len(w.frames)-1]
		if i := slices.Index(top.children, dir); i >= 0 {
			top.children = top.children[i+1:]
			if f.namespace == "" {
				f.namespace = top.namespace
			}
			f.prefix, f.suffix = joined(top.prefix, f.prefix), joined(f.suffix, top.suffix)
			break
		}
		w.frames = w.frames[:len(w.frames)-1]
	}
	w.frames = append(w.frames, f)
	return f
}

// above returns the kustomization in whose way a base lies: one that is
// being read now from the base's folder or below it.
func (w *walk) above(dir string) (string, bool) {
	for _, f := range w.frames {
		if f.dir == dir || strings.HasPrefix(f.dir, dir+"/") {
			return f.dir, true
		}
	}
	return "", false
}

// circle makes the Problem for a base that is above its user.
func (r *rewriting) circle(entry, dir string) error {
	from, met := r.disk.walk.above(dir)
	if !met {
		return nil
	}
	if from != dir {
		return r.problem(entry, "cannot build %s: %s is a folder above %s, which uses it", r.name, r.disk.shown(dir), r.disk.shown(from)).
			Do("move the base beside what uses it")
	}
	var way []string
	for _, f := range r.disk.walk.frames {
		if len(way) > 0 || f.dir == dir {
			way = append(way, r.disk.shown(f.dir))
		}
	}
	return r.problem(entry, "cannot build %s: bases use each other in a circle: %s", r.name, strings.Join(append(way, r.disk.shown(dir)), " → ")).
		Do("take one of them out of the other's resources or components")
}

// shown is a folder as people know it.
func (d *disk) shown(full string) string {
	m, name, ok := d.in(full)
	if !ok {
		return path.Base(full)
	}
	if m.repo == "" {
		return name
	}
	if m.ref == "" {
		return fmt.Sprintf("%s//%s", public(m.repo), name)
	}
	return fmt.Sprintf("%s//%s?ref=%s", public(m.repo), name, m.ref)
}

// where is a place in a file of the disk.
func (d *disk) where(full string, line int) gitops.Origin {
	if p := d.placed[full]; p != nil {
		return p.at
	}
	m, name, ok := d.in(full)
	if !ok {
		return d.source.Tree.Where(d.source.Path, 0)
	}
	o := m.tree.Where(name, line)
	o.RepoURL = public(o.RepoURL)
	return o
}
