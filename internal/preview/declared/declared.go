// Package declared finds what a tree of files declares: Applications,
// ApplicationSets, AppProjects, cluster Secrets and the engine's settings,
// each with the file and line where it is written.
//
// It expands nothing and renders nothing. Files that other tools render first
// (the templates of charts, patches of Kustomize) are left out.
package declared

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// Place is where something is written.
type Place struct {
	File string
	Line int
}

// Application with its place.
type Application struct {
	*v1alpha1.Application
	Place
}

// Set is an ApplicationSet with its place.
type Set struct {
	*v1alpha1.ApplicationSet
	Place
}

// Schema with its place.
type Schema struct {
	*causeway.MetadataSchema
	Place
}

// Cluster is a cluster Secret with its place.
type Cluster struct {
	*corev1.Secret
	Place
}

// Found is what a tree declares, in the order of files and documents. The
// objects are shared between calls: readers must not change them.
type Found struct {
	Applications []Application
	Sets         []Set
	Projects     []*v1alpha1.AppProject
	Clusters     []Cluster
	// Settings are ConfigMaps argocd-cm, and Params argocd-cmd-params-cm.
	Settings []*corev1.ConfigMap
	Params   []*corev1.ConfigMap
	Schemas  []Schema
	Warnings []gitops.Warning
	// Files is the number of files that were looked into.
	Files int
}

// maxBytes bounds one file; larger ones hold data, not declarations.
const maxBytes = 4 << 20

// Reader reads trees. What it read of a file is kept by the file's digest, so
// that two revisions of a repository cost little more than one. It is safe
// for concurrent use.
type Reader struct {
	mu   sync.Mutex
	kept map[string]*file
}

// NewReader makes a Reader.
func NewReader() *Reader { return &Reader{kept: map[string]*file{}} }

// Read looks into all YAML and JSON files below a folder of a tree.
func (r *Reader) Read(ctx context.Context, tree gitops.Tree, folder string) (*Found, error) {
	out := &Found{}
	err := r.folder(walk.Over(ctx, tree), tree, folder, out)
	return out, err
}

func (r *Reader) folder(w *walk.Walk, tree gitops.Tree, dir string, out *Found) error {
	entries, err := w.ReadDir(dir)
	if w.Err() != nil {
		return w.Err()
	}
	if err != nil {
		return gitops.Problemf(gitops.NotFound, "cannot look into folder %s: %w", dir, err).Do("correct the path")
	}
	chart := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "Chart.yaml" })
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules" || (chart && e.Name() == "templates")):
			continue
		case e.IsDir():
			err = r.folder(w, tree, name, out)
		case manifest(e.Name()):
			err = r.file(tree, name, out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func manifest(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".json")
}

func (r *Reader) file(tree gitops.Tree, name string, out *Found) error {
	out.Files++
	info, err := tree.Stat(name)
	if err != nil || info.IsDir() || info.Size() > maxBytes {
		return nil //nolint:nilerr // a link that leads nowhere declares nothing
	}
	digest, err := tree.Digest(name)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	f, err := r.parsed(tree, name, digest)
	if err != nil {
		return err
	}
	f.into(name, out)
	return nil
}

func (r *Reader) parsed(tree gitops.Tree, name, digest string) (*file, error) {
	r.mu.Lock()
	f, ok := r.kept[digest]
	r.mu.Unlock()
	if ok {
		return f, nil
	}
	text, err := tree.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{}, nil
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: %w", name, err)
	}
	f = parse(text)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept[digest] = f
	return f, nil
}

// Secrets are the cluster Secrets of a file. One that cannot be read is an
// error: a cluster that is left out would look like one that is gone.
func Secrets(name string, text []byte) ([]Cluster, error) {
	if !bytes.Contains(text, []byte(v1alpha1.LabelSecretType)) {
		return nil, nil
	}
	if e := document.Check(text); e != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the cluster Secrets of %s: %s", name, e.Text).
			At(gitops.Origin{File: name, Line: e.Line}).Do("correct the YAML")
	}
	out := &Found{}
	parse(text).into(name, out)
	for _, w := range out.Warnings {
		if w.Reason == "WrongType" {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the cluster Secrets of %s: %s", name, w.Message).At(w.Origin)
		}
	}
	return out.Clusters, nil
}

// Schemas are the MetadataSchemas of a file. One that cannot be read is an
// error: rules that are left out are not kept.
func Schemas(name string, text []byte) ([]Schema, error) {
	out := &Found{}
	parse(text).into(name, out)
	for _, w := range out.Warnings {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the MetadataSchemas of %s: %s", name, w.Message).At(w.Origin)
	}
	if len(out.Schemas) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "%s has no MetadataSchema", name)
	}
	return out.Schemas, nil
}
