package generate

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// leads are the places in a set, as position names them, where an address to read is a
// template that strangers may fill in: a generator before it in a matrix gives what files,
// hosts or plugins say. Clusters and lists are the operator's own word.
type leads map[string]bool

func leadsOf(set *v1alpha1.ApplicationSet) leads {
	out := leads{}
	for i := range set.Spec.Generators {
		out.add([]string{partOfSet(i)}, &set.Spec.Generators[i], false)
	}
	return out
}

// add notes the places within a generator; strange tells that one before it gives what
// strangers say. What cannot be read is an error of the expansion.
func (l leads) add(at []string, g *v1alpha1.ApplicationSetGenerator, strange bool) {
	if strange && (g.Git != nil && isTemplate(g.Git.RepoURL) || g.OCI != nil && isTemplate(g.OCI.RepoURL)) {
		l[placeOf(at)] = true
	}
	if g.Matrix != nil {
		before := strange
		for i, child := range g.Matrix.Generators {
			if full, err := unnest(child); err == nil {
				l.add(append(at[:len(at):len(at)], partOfMatrix(i)), full, before)
				before = before || isStrange(full)
			}
		}
	}
	if g.Merge != nil {
		for i, child := range g.Merge.Generators {
			if full, err := unnest(child); err == nil {
				l.add(append(at[:len(at):len(at)], partOfMerge(i)), full, strange)
			}
		}
	}
}

// isStrange reports whether others than operators say what a generator gives.
func isStrange(g *v1alpha1.ApplicationSetGenerator) bool {
	if g.Git != nil || g.OCI != nil || g.SCMProvider != nil || g.PullRequest != nil || g.Plugin != nil {
		return true
	}
	var children []v1alpha1.ApplicationSetNestedGenerator
	if g.Matrix != nil {
		children = append(children, g.Matrix.Generators...)
	}
	if g.Merge != nil {
		children = append(children, g.Merge.Generators...)
	}
	for _, child := range children {
		if full, err := unnest(child); err == nil && isStrange(full) {
			return true
		}
	}
	return false
}

func isTemplate(text string) bool { return strings.Contains(text, "{{") }

// led holds an address that a stranger may have written against the rules of the project
// that the set's own template names. Where that is a template as well, it is read with what
// is open to all projects, as in Argo CD: the set leaves the project to others, too.
func (r *run) led(ref gitops.SourceRef) error {
	if r.rules == nil || ref.Project == "" || !r.leads()[r.at()] {
		return nil
	}
	err := r.rules.PermitsSource(r.ctx, ref.Project, ref.RepoURL)
	if err == nil || gitops.IsProblem(err, gitops.Forbidden) {
		return err
	}
	return unreachable(errorf("cannot look up what project %q permits: %w", ref.Project, err))
}
