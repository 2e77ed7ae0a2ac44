package source

import (
	"context"
	"errors"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// lackingEach is how many commits a project may ask for that a repository does
// not have. Each costs a question to its server, time and again.
const lackingEach = 64

// permit tells why a commit is not looked for. One that a reference leads to is
// there, and one that is in the store takes no looking for.
func (p *repo) permit(ctx context.Context, v view, a *answer, w want) error {
	of, ok := v.(gitView)
	if !ok || !git.IsCommit(w.revision) {
		return nil
	}
	by := account{repo: p, projects: a.projects}
	if named, err := by.by(of.View).Named(ctx, w.revision); err != nil || named {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(a.users) > 0 && slices.ContainsFunc(a.projects(), func(project string) bool { return p.lacking(project, a) < lackingEach }) {
		return nil
	}
	// Others who ask for it later see the error, too: it names no project.
	return gitops.Problemf(gitops.Invalid, "commit %s is not looked for: its project asks for %d commits already that the repository does not have", w.revision, lackingEach).
		Do("correct targetRevision, and ref of a Kustomize base, where it names a commit that was not pushed; what nobody asks for any more counts for an hour")
}

// lacking counts what a project asks for that is lacking, but for one answer.
// The caller holds mu.
func (p *repo) lacking(project string, but *answer) int {
	n := 0
	for w, a := range p.answers {
		if a != but && a.lacks(w) && !a.last(project).IsZero() {
			n++
		}
	}
	return n
}

// lacks reports whether it is a commit that the repository did not have.
func (a *answer) lacks(w want) bool {
	var known *gitops.Problem
	return git.IsCommit(w.revision) && errors.As(a.err, &known) && known.Kind == gitops.NotFound
}
