package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
)

// world is all that a suite needs from outside, as folders on this machine.
type world struct {
	suite

	root, dir string
	manifests []gitops.Manifest
	// given are the Secrets as the conformance data has them, all those with every addon on.
	given, all []*corev1.Secret
	mirrors    []source.Mirror
}

// newWorld reads a suite and makes stand-ins for everything that it names and that is not in the corpus. Servers are
// the addresses of the clusters, the hub's first.
func newWorld(ctx context.Context, s suite, root, dir string) (*world, error) {
	w := &world{suite: s, root: root, dir: dir}
	var err error
	if w.given, err = readSecrets(root, s.name, s.notes); err != nil {
		return nil, err
	}
	if s.like != "" {
		if err := w.fill(s.like); err != nil {
			return nil, err
		}
	}
	if w.manifests, err = s.manifests(root); err != nil {
		return nil, err
	}
	if w.mirrors, err = organisations(root, filepath.Join(dir, "git")); err != nil {
		return nil, err
	}
	files, err := webFiles(filepath.Join(root, "corpus", s.name), filepath.Join(dir, "web"))
	if err != nil {
		return nil, err
	}
	w.addMirrors(files)
	for range maxRounds {
		more, err := w.round(ctx)
		if err != nil {
			return nil, err
		}
		if !more {
			return w, nil
		}
	}
	return nil, fmt.Errorf("%s has no fixed point within %d rounds", s.name, maxRounds)
}

// fill gives the clusters the annotations that those of another repository have, where they have none.
func (w *world) fill(from string) error {
	others, err := readSecrets(w.root, from, nil)
	if err != nil {
		return err
	}
	for i, s := range w.given[:min(len(w.given), len(others))] {
		for k, v := range others[i].Annotations {
			if _, ok := s.Annotations[k]; !ok {
				s.Annotations[k] = v
			}
		}
	}
	return nil
}

// maxRounds bounds how deep Applications of Applications are followed.
const maxRounds = 6

// round switches on what is asked for so far, expands, and makes stand-ins for what is missing.
func (w *world) round(ctx context.Context) (more bool, err error) {
	hub, err := w.expand(ctx, w.given[:1], nil)
	if err != nil {
		return false, err
	}
	asked := map[string]bool{}
	for _, c := range []*closure{hub} {
		for k := range c.switches {
			asked[k] = true
		}
	}
	before := w.all
	w.all = switchedOn(w.given, sorted(asked))
	full, err := w.expand(ctx, w.all, hub.apps)
	if err != nil {
		return false, err
	}
	made := len(w.mirrors)
	for _, c := range []*closure{hub, full} {
		if err := w.standIn(c); err != nil {
			return false, err
		}
	}
	return before == nil || made != len(w.mirrors), nil
}

// expand follows the manifests for the clusters that some Secrets describe.
func (w *world) expand(ctx context.Context, secrets []*corev1.Secret, live map[string]*v1alpha1.Application) (c *closure, err error) {
	cache, err := os.MkdirTemp(w.dir, "expand-")
	if err != nil {
		return nil, err
	}
	sources, err := source.New(source.Options{CacheDir: cache, Mirrors: w.mirrors})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sources.Close()) }()
	return expand(ctx, sources, clustersOf(secrets), w.manifests, live)
}

// standIn makes what a closure names and nobody has.
func (w *world) standIn(c *closure) error {
	shelves, err := shelves(filepath.Join(w.dir, "charts"), c.charts)
	if err != nil {
		return err
	}
	w.addMirrors(shelves)
	bare := map[string][]string{}
	for ref := range c.bare {
		bare[ref.repo] = append(bare[ref.repo], ref.path)
	}
	for repo, charts := range bare {
		if err := w.overlay(repo, charts); err != nil {
			return err
		}
	}
	for ref := range c.folders {
		if err := w.folder(ref); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) addMirrors(more []source.Mirror) {
	have := map[string]bool{}
	for _, m := range w.mirrors {
		have[m.URL] = true
	}
	for _, m := range more {
		if !have[m.URL] {
			w.mirrors = append(w.mirrors, m)
		}
	}
}

// repoDir is the folder that serves a repository.
func (w *world) repoDir(repo string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimSuffix(repo, ".git"), "https://github.com/")
	if !ok || strings.Contains(name, "{{") {
		return "", false
	}
	return filepath.Join(w.dir, "git", filepath.FromSlash(name)), true
}

// folder makes a folder of a repository that is not in the corpus.
func (w *world) folder(ref folderRef) error {
	dir, ok := w.repoDir(ref.repo)
	if !ok {
		return nil
	}
	if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil // of the corpus: what it lacks it lacks
	}
	if _, err := os.Stat(filepath.Join(dir, copied)); err == nil {
		return nil
	}
	files := map[string]string{"workload.yaml": workload}
	if ref.helm {
		files = standInChart(filepath.Base(ref.path), "1.0.0")
	}
	w.addMirrors([]source.Mirror{{URL: ref.repo, Path: dir}})
	return writeFiles(filepath.Join(dir, filepath.FromSlash(ref.path)), files)
}

// copied marks a repository that is a copy out of the corpus.
const copied = ".copied-from-corpus"

// overlay replaces the link to a repository by a copy whose charts have templates.
func (w *world) overlay(repo string, charts []string) error {
	dir, err := w.copy(repo)
	if err != nil {
		return err
	}
	for _, chart := range charts {
		if err := writeFiles(filepath.Join(dir, chart), templates()); err != nil {
			return err
		}
	}
	return nil
}

// copy makes a repository of the corpus one that can be changed.
func (w *world) copy(repo string) (string, error) {
	dir, ok := w.repoDir(repo)
	if !ok {
		return "", fmt.Errorf("%s is not in the corpus", repo)
	}
	from, err := os.Readlink(dir)
	if err != nil {
		return dir, nil //nolint:nilerr // it is a copy already
	}
	if err := errors.Join(os.Remove(dir), os.CopyFS(dir, os.DirFS(from))); err != nil {
		return "", err
	}
	return dir, writeFiles(dir, map[string]string{copied: from + "\n"})
}
