package kustomize

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// disk shows the trees of a build to the library as one file system: the
// repository at /tree-0, each base from elsewhere at /tree-1 and so on, and
// single files where they are needed. It cannot be written to.
//
// Kustomization files are rewritten before the library sees them, so that
// nothing in them names what lies elsewhere: see rewrite.
type disk struct {
	ctx    context.Context //nolint:containedctx // the library's interface has no room for one
	source *source.Source
	flags  flags
	charts Inflater
	// inflated bounds the texts of all charts together.
	inflated *bounded.Budget
	web      Web

	mounts []*mount
	// byKey finds a mount by the address that it is for.
	byKey map[string]int
	// placed are files that are in no tree, by path; folders those that hold
	// nothing else.
	placed  map[string]*placed
	folders map[string]bool
	// fetched are files from elsewhere, by address.
	fetched map[string]*placed

	edited  string // the path of the kustomization that the application's settings change
	content []byte

	walk walk
	// resources are the files that are objects to a kustomization, bases the folders
	// that are built.
	resources map[string]bool
	bases     map[string]bool
	left      int64 // bytes that the library may still read
	marks     map[string][]mark
	// unmarked are the marks that are still looked for, unlisted the candidates.
	unmarked, unlisted int
	// listings are the files of objects, candidates what is in them and in
	// generators, by kind.
	listings   []listing
	candidates map[string][]*candidate

	// problem is the first thing that was wrong with a kustomization file;
	// the library would bury it.
	problem error
	// inner: what is read now belongs to a folder of plugins, which is built first.
	inner bool
}

// mount is one tree of the disk.
type mount struct {
	tree *record.Tree
	// repo and ref are what the library would write into origins; empty for
	// the application's own repository.
	repo, ref string
	// depth counts the bases from elsewhere that led here.
	depth int
}

// placed is a file that is in no tree.
type placed struct {
	text []byte
	// at is where it comes from.
	at gitops.Origin
	// origin is what the library would say of it.
	origin origin
}

var _ filesys.FileSystem = (*disk)(nil)

func newDisk(ctx context.Context, s *source.Source, f flags, edited string, content []byte) *disk {
	return &disk{
		ctx: ctx, source: s, flags: f, edited: path.Join("/"+mountName+"0", edited), content: content,
		mounts: []*mount{{tree: s.Tree}}, byKey: map[string]int{}, placed: map[string]*placed{}, folders: map[string]bool{}, fetched: map[string]*placed{},
		resources: map[string]bool{}, bases: map[string]bool{path.Dir(path.Join("/"+mountName+"0", edited)): true}, marks: map[string][]mark{}, unmarked: mostMarks, unlisted: mostCandidates, candidates: map[string][]*candidate{}, left: maxRead, inflated: s.Output.Again(),
	}
}

// maxRead bounds the bytes that one build reads, each file as often as it is
// read: bases that list one another twice grow without one.
const maxRead = 1 << 30

var errReadOnly = errors.New("the repository cannot be written to")

// Create implements filesys.FileSystem.
func (d *disk) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir implements filesys.FileSystem.
func (d *disk) Mkdir(string) error { return errReadOnly }

// MkdirAll implements filesys.FileSystem.
func (d *disk) MkdirAll(string) error { return errReadOnly }

// RemoveAll implements filesys.FileSystem.
func (d *disk) RemoveAll(string) error { return errReadOnly }

// WriteFile implements filesys.FileSystem.
func (d *disk) WriteFile(string, []byte) error { return errReadOnly }

// Open implements filesys.FileSystem; the library does not use it for reading.
func (d *disk) Open(string) (filesys.File, error) { return nil, errReadOnly }

// Glob implements filesys.FileSystem; the library does not use it.
func (d *disk) Glob(string) ([]string, error) { return nil, nil }

// Walk implements filesys.FileSystem; the library does not use it.
func (d *disk) Walk(string, filepath.WalkFunc) error { return fs.ErrPermission }

// mountName begins the names of mounts.
const mountName = "tree-"

func absolute(p string) string { return path.Clean("/" + filepath.ToSlash(p)) }

// in splits a path of the disk into its mount and the path in its tree.
func (d *disk) in(full string) (*mount, string, bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	number, ok := strings.CutPrefix(first, mountName)
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || n >= len(d.mounts) || number != strconv.Itoa(n) {
		return nil, "", false
	}
	if rest == "" {
		rest = "."
	}
	return d.mounts[n], rest, true
}

func (d *disk) stat(full string) (fs.FileInfo, error) {
	m, name, ok := d.in(full)
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: full, Err: fs.ErrNotExist}
	}
	return m.tree.Stat(name)
}

// IsDir implements filesys.FileSystem.
func (d *disk) IsDir(p string) bool {
	full := absolute(p)
	if d.folders[full] {
		return true
	}
	info, err := d.stat(full)
	return err == nil && info.IsDir()
}

// Exists implements filesys.FileSystem.
func (d *disk) Exists(p string) bool {
	full := absolute(p)
	if d.placed[full] != nil || d.folders[full] {
		return true
	}
	_, err := d.stat(full)
	return err == nil
}

// ReadDir implements filesys.FileSystem.
func (d *disk) ReadDir(p string) ([]string, error) {
	m, name, ok := d.in(absolute(p))
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
	}
	entries, err := m.tree.ReadDir(name)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// CleanedAbs implements filesys.FileSystem.
func (d *disk) CleanedAbs(p string) (filesys.ConfirmedDir, string, error) {
	full := absolute(p)
	if d.folders[full] {
		return filesys.ConfirmedDir(full), "", nil
	}
	if d.placed[full] == nil {
		info, err := d.stat(full)
		if err != nil {
			return "", "", err
		}
		if info.IsDir() {
			return filesys.ConfirmedDir(full), "", nil
		}
	}
	return filesys.ConfirmedDir(path.Dir(full)), path.Base(full), nil
}

// ReadFile implements filesys.FileSystem.
func (d *disk) ReadFile(p string) ([]byte, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	full := absolute(p)
	text, err := d.read(full)
	if err != nil {
		return nil, err
	}
	if d.left -= int64(len(text)); d.left < 0 {
		return nil, d.keep(d.tooMuch("it reads more than 1 GiB, files that are read several times counted each time"))
	}
	kustomization := slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(full))
	asIs := d.placed[full] != nil || d.resources[full]
	if kustomization && asIs && d.bases[path.Dir(full)] {
		return nil, d.keep(d.ambiguous(full))
	}
	if asIs || !kustomization {
		return text, nil
	}
	if text, err = d.rewrite(full, text); err != nil {
		return nil, d.keep(err)
	}
	return text, nil
}

func (d *disk) read(full string) ([]byte, error) {
	if p := d.placed[full]; p != nil {
		return p.text, nil
	}
	m, name, ok := d.in(full)
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: full, Err: fs.ErrNotExist}
	}
	text, err := m.tree.ReadFile(name)
	// A file that is not there is often only looked for.
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !d.IsDir(full) {
		return nil, d.keep(source.Missing(source.File{Tree: m.tree, Name: name}, "file", "", err))
	}
	return text, err
}

// may tells why a text is not parsed: the render is over, or all its texts together
// would become too much, each with what its aliases repeat.
func (d *disk) may(text []byte) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	return d.source.Values.Check(text)
}

// decode parses a text that may be.
func (d *disk) decode(text []byte, into any) error {
	if err := d.may(text); err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}

// hold counts a text that was written for a file, and is kept as long as the build.
func (d *disk) hold(full string, text []byte) error {
	return d.source.Hold("what is made of "+path.Base(full), len(text))
}

// keep remembers the first error.
func (d *disk) keep(err error) error {
	if d.problem == nil {
		d.problem = err
	}
	return err
}

// ambiguous is about a kustomization that is a file to another one, too. The
// library reads both in the same way, and one that is not rewritten has it
// fetch by itself.
func (d *disk) ambiguous(full string) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot build %s: it is listed as a file, and its folder is a base, too", path.Base(full)).
		At(d.where(full, 0)).Do("list the folder alone, or give the file another name")
}

func (d *disk) tooMuch(what string) *gitops.Problem {
	return problem(d.source, "cannot build the kustomization: %s", what).Do("split the application, or list fewer bases")
}
