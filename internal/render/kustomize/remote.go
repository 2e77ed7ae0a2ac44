package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Web reads single files by HTTP, within limits of its own and from what a
// rule allows. A file that is not there is fs.ErrNotExist.
type Web interface {
	File(ctx context.Context, url string, rule source.Rule) ([]byte, error)
}

// placedFolder begins the names of folders beside a kustomization that hold
// files from elsewhere: the library reads files only below it.
const placedFolder = ".causeway-"

// fetch takes a base or a file from elsewhere, in the library's order: what a
// host serves as a file is one, and all else is a repository.
func (r *rewriting) fetch(entry string) (string, error) {
	if a, ok := parseRaw(entry); ok {
		return r.rawFile(entry, a)
	}
	a, ok := parseAddress(entry)
	if !ok {
		return r.fetchFile(entry)
	}
	single := webAddress(entry) && !a.explicit
	if single && looksLikeFile(entry) {
		return r.webFile(entry)
	}
	now, err := r.clone(entry, a)
	if err == nil || !single || r.disk.web == nil || strings.HasPrefix(a.repo, "https://github.com/") || forbidden(err) {
		return now, err
	}
	if now, webErr := r.webFile(entry); webErr == nil {
		return now, nil
	}
	return "", err
}

// fetchFolder takes a base alone.
func (r *rewriting) fetchFolder(entry string) (string, error) {
	a, ok := parseAddress(entry)
	if !ok {
		return "", r.unreadable(entry)
	}
	return r.clone(entry, a)
}

// fetchFile takes a file alone.
func (r *rewriting) fetchFile(entry string) (string, error) {
	if a, ok := parseRaw(entry); ok {
		return r.rawFile(entry, a)
	}
	if !webAddress(entry) {
		return "", r.unreadable(entry)
	}
	return r.webFile(entry)
}

func (r *rewriting) unreadable(entry string) error {
	return r.problem(entry, "cannot build %s: %s is an address that is not read", r.name, public(entry)).
		Do("write https://host/org/repo//path?ref=…, git@host:org/repo.git//path?ref=… or ssh://…, or the https address of a file")
}

// clone mounts a repository's tree and returns the way to the folder in it.
func (r *rewriting) clone(entry string, a address) (string, error) {
	if a.leaves {
		return "", r.problem(entry, "cannot build %s: the path of %s leads out of the repository", r.name, public(entry)).Do("write a path inside the repository")
	}
	// A mount for each address, as the library makes a clone for each: a
	// folder may use another one of its own repository by its address.
	key := a.repo + "\n" + a.ref + "\n" + a.path
	n, ok := r.disk.byKey[key]
	if !ok {
		tree, err := r.tree(entry, a)
		if err != nil {
			return "", err
		}
		n = len(r.disk.mounts)
		if n > maxMounts || r.mount.depth+1 > maxRemoteDepth {
			return "", r.disk.tooMuch(fmt.Sprintf("more than %d bases from elsewhere, or more than %d that lead to one another", maxMounts, maxRemoteDepth))
		}
		r.disk.byKey[key] = n
		r.disk.mounts = append(r.disk.mounts, &mount{tree: tree, repo: a.repo, ref: a.ref, depth: r.mount.depth + 1})
	}
	m := r.disk.mounts[n]
	info, err := m.tree.Stat(a.path)
	if err != nil {
		return "", r.placedProblem(entry, source.Missing(source.File{Tree: m.tree, Name: a.path}, "folder", "correct the path or the ref of "+public(entry), err))
	}
	if !info.IsDir() {
		return "", r.problem(entry, "cannot build %s: %s is a file, and a folder is needed", r.name, public(entry)).Do("list the folder that holds it, or the address of the file as the host serves it")
	}
	full := path.Join(r.disk.root(m), a.path)
	if err := r.child(entry, full); err != nil {
		return "", err
	}
	return filepath.Rel(r.dir, full)
}

// tree reads a repository through the sources.
func (r *rewriting) tree(entry string, a address) (*record.Tree, error) {
	s := r.disk.source
	if s.Remote == nil {
		p := r.problem(entry, "cannot read %s: nothing is read from elsewhere here", public(entry))
		p.Kind = gitops.NotFound
		return nil, p.Do("copy it into the repository, or mirror it")
	}
	tree, err := s.Remote.Tree(r.disk.ctx, s.Beside(a.repo, "", a.ref))
	if err != nil {
		return nil, r.placedProblem(entry, err)
	}
	return tree, nil
}

// rawFile reads a file that a Git host serves from the repository itself,
// and, where that does not do, as any other file.
func (r *rewriting) rawFile(entry string, a address) (string, error) {
	if have, ok := r.disk.byAddress(entry); ok {
		return r.place(entry, have), nil
	}
	text, at, err := r.rawText(entry, a)
	if err == nil {
		r.disk.fetched[entry] = &placed{text: text, at: at, origin: originOfAddress(entry)}
		return r.place(entry, r.disk.fetched[entry]), nil
	}
	if r.disk.web != nil && !forbidden(err) {
		if now, webErr := r.webFile(entry); webErr == nil {
			return now, nil
		}
	}
	return "", err
}

func (r *rewriting) rawText(entry string, a address) ([]byte, gitops.Origin, error) {
	tree, err := r.tree(entry, a)
	if err != nil {
		return nil, gitops.Origin{}, err
	}
	text, err := tree.ReadFile(a.path)
	if err != nil {
		return nil, gitops.Origin{}, r.placedProblem(entry, source.Missing(source.File{Tree: tree, Name: a.path}, "file", "correct the address "+public(entry), err))
	}
	return text, tree.Where(a.path, 0), nil
}

// webFile reads a file by HTTP, once a build.
func (r *rewriting) webFile(entry string) (string, error) {
	if have, ok := r.disk.byAddress(entry); ok {
		return r.place(entry, have), nil
	}
	if r.disk.web == nil {
		p := r.problem(entry, "cannot read %s: single files from elsewhere are not read here", public(entry))
		p.Kind = gitops.NotFound
		return "", p.Do("copy it into the repository, or list a Git repository with its path and ref")
	}
	r.disk.source.Perishes(helm.AddressLife)
	text, err := r.disk.web.File(r.disk.ctx, entry, r.disk.source.Settings.Rule(r.disk.source.Project))
	if errors.Is(err, fs.ErrNotExist) {
		p := r.problem(entry, "cannot find %s", public(entry))
		p.Kind = gitops.NotFound
		return "", p.Do("correct the address")
	}
	if err != nil {
		return "", r.unread(entry, err)
	}
	if err := r.disk.source.Hold(public(entry), len(text)); err != nil {
		return "", err
	}
	r.disk.fetched[entry] = &placed{text: text, at: gitops.Origin{RepoURL: public(entry)}, origin: originOfAddress(entry)}
	return r.place(entry, r.disk.fetched[entry]), nil
}

// unread tells why a file could not be read: by the rule, or by its host.
func (r *rewriting) unread(entry string, err error) error {
	if _, ok := asProblem(err); ok {
		return r.placedProblem(entry, err)
	}
	p := r.problem(entry, "cannot read %s: %w", public(entry), err)
	return p.Do("correct the address, or allow it by helm.valuesFileSchemes of ConfigMap argocd-cm")
}

// byAddress finds a file that was read already.
func (d *disk) byAddress(entry string) (*placed, bool) {
	p, ok := d.fetched[entry]
	return p, ok
}

// place puts a file below the kustomization and returns the way to it. The
// file's own name stays: keys of ConfigMaps are made of it.
func (r *rewriting) place(entry string, p *placed) string {
	base := path.Base(entry)
	if base == "." || base == "/" || base == ".." {
		base = "file"
	}
	rel := fmt.Sprintf("%s%d/%s", placedFolder, len(r.disk.placed), base)
	r.disk.placed[path.Join(r.dir, rel)] = p
	return rel
}

// forbidden reports whether the project denies the repository: its files are not
// read in another way, either.
func forbidden(err error) bool {
	p, ok := asProblem(err)
	return ok && p.Kind == gitops.Forbidden
}

// asProblem is the Problem in err, if there is one.
func asProblem(err error) (*gitops.Problem, bool) {
	var p *gitops.Problem
	ok := errors.As(err, &p)
	return p, ok
}
