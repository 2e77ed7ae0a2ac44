package generate

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/walk"
)

type gitKind struct{}

func (gitKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Git == nil {
		return nil
	}
	return &g.Git.Template
}

func (gitKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	return r.treeParams("git", g.Git)
}

// treeParams reads folders or files; kind is for messages: git or oci.
func (r *run) treeParams(kind string, g *v1alpha1.GitGenerator) ([]paramSet, error) {
	if len(g.Directories) == 0 && len(g.Files) == 0 {
		return nil, errorf("the %s generator has neither directories nor files, add one of them", word(kind))
	}
	repo, err := r.open(kind, g)
	if err != nil {
		return nil, err
	}
	// With both only directories count.
	if len(g.Directories) > 0 {
		return r.directoryParams(repo, g)
	}
	return r.fileParams(repo, g)
}

// repo is a snapshot with what was listed and parsed of it in this run.
type repo struct {
	*gitops.Snapshot
	url     string
	folders map[string][]string
	entries map[string][]treeEntry
	parsed  map[string][]map[string]any
}

// problem places an error inside the repository.
func (s *repo) problem(kind gitops.ProblemKind, file string, err error) *gitops.Problem {
	return problemf(kind, "%w", err).At(gitops.Origin{RepoURL: s.url, Revision: s.Revision, File: file})
}

// at places what went wrong inside the repository, where it says nothing of a
// place itself.
func (s *repo) at(file string, err error) error {
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return err
	}
	placed := *p
	return placed.At(gitops.Origin{RepoURL: s.url, Revision: s.Revision, File: file})
}

// unlisted is why what is below a folder could not be listed. That a walk
// reached its bounds says what to do, and trying again does not help.
func (s *repo) unlisted(root, what string, w *walk.Walk, err error) error {
	var bound *gitops.Problem
	if errors.As(w.Err(), &bound) {
		return s.problem(gitops.Invalid, root, errorf("cannot list %s: %s", word(what), bound.What)).
			Do("make the pattern of the generator begin with a folder that holds less, or take out of the repository what holds copies of itself")
	}
	return s.problem(gitops.Unreachable, root, errorf("cannot list %s: %w", word(what), err))
}

// look counts what was listed: lists are kept, so that those of all generators
// count together.
func (r *run) look(s *repo, root string, entries int) error {
	if r.entries += entries; r.entries <= r.limits.Entries {
		return nil
	}
	return s.problem(gitops.Invalid, root, errorf("cannot list more than %d files and folders, all generators of the set together", r.limits.Entries)).
		Do("make the patterns of the generators begin with the same folder, or split the ApplicationSet")
}

// perRepo is what a repository takes of which nothing is listed yet.
const perRepo = 1 << 10

// open fetches the generator's repository, once a run. The project of the
// set's own template must exist, unless it is templated: then only
// repositories that are not scoped to a project can be read.
func (r *run) open(kind string, g *v1alpha1.GitGenerator) (*repo, error) {
	project := r.set.Spec.Template.Spec.Project
	if strings.Contains(project, "{{") {
		project = ""
	} else if err := r.requireProject(kind, project); err != nil {
		return nil, err
	}
	ref := gitops.SourceRef{RepoURL: g.RepoURL, Revision: g.Revision, Project: project}
	if err := ref.Check(); err != nil {
		return nil, errorf("cannot read the repository of the %s generator: %w", word(kind), err)
	}
	if err := r.led(ref); err != nil {
		return nil, errorf("cannot read the repository of the %s generator: %w", word(kind), r.literals.about(err, g.RepoURL))
	}
	if had, ok := r.repos[ref]; ok {
		return had, nil
	}
	if err := r.held.take(perRepo + len(ref.RepoURL) + len(ref.Revision)); err != nil {
		return nil, err
	}
	r.order = append(r.order, ref)
	snapshot, err := r.snapshots.Snapshot(r.ctx, ref)
	if err != nil {
		return nil, unreachable(errorf("cannot read repository %s of the %s generator: %w", gitops.PublicAddress(g.RepoURL), word(kind), r.literals.about(err, g.RepoURL, g.Revision)))
	}
	of := revision{ref, snapshot.Revision}
	if err := r.trust.signed(r.ctx, project, of); err != nil {
		return nil, errorf("cannot use repository %s of the %s generator: %w", gitops.PublicAddress(g.RepoURL), word(kind), r.literals.about(err, g.RepoURL, g.Revision))
	}
	out := &repo{
		Snapshot: snapshot, url: g.RepoURL,
		folders: map[string][]string{}, entries: map[string][]treeEntry{}, parsed: map[string][]map[string]any{},
	}
	r.repos[ref] = out
	r.trust.read = append(r.trust.read, of)
	return out, nil
}

func (r *run) requireProject(kind, name string) error {
	ok, err := r.hasProject(name)
	if err != nil {
		return err
	}
	if !ok {
		return problemf(gitops.NotFound, "project %q of the template does not exist, the %s generator needs it", name, word(kind)).
			Do("create the AppProject, or name one that exists")
	}
	return nil
}

// directoryParams are the path parameters of a folder.
func directoryParams(folder string) map[string]any {
	base := path.Base(folder)
	return map[string]any{
		"path": folder, "basename": base, "basenameNormalized": normalize(base),
		"segments": strings.Split(folder, "/"),
	}
}

// setPath adds path parameters to a set: under the prefix, if there is one,
// and flat in the fast mode, where segments become path[0], path[1] and so on.
func (r *run) setPath(p Params, prefix string, values map[string]any) {
	if r.set.Spec.GoTemplate {
		if prefix == "" {
			p["path"] = values
			return
		}
		p[prefix] = map[string]any{"path": values}
		return
	}
	name := "path"
	if prefix != "" {
		name = prefix + ".path"
	}
	for k, v := range values {
		switch v := v.(type) {
		case []string:
			for i, segment := range v {
				if segment != "" {
					p[name+"["+strconv.Itoa(i)+"]"] = segment
				}
			}
		default:
			p[name+"."+k] = v
		}
	}
	delete(p, name+".path")
	p[name] = values["path"]
}
