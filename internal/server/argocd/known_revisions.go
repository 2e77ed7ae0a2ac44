package argocd

import (
	"regexp"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// commitName is a commit's own name. Anything shorter may be, or become, that of a
// branch or tag.
var commitName = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// deployed are sources with the revisions that they were at.
type deployed struct {
	sources   []v1alpha1.ApplicationSource
	revisions []string
}

// deployedOf reads the two ways in which a status has them.
func deployedOf(source v1alpha1.ApplicationSource, sources v1alpha1.ApplicationSources, revision string, revisions []string) deployed {
	if len(sources) > 0 {
		return deployed{sources, revisions}
	}
	return deployed{[]v1alpha1.ApplicationSource{source}, []string{revision}}
}

// deployments are what an Application is at, and was.
func deployments(app *v1alpha1.Application) []deployed {
	sync := &app.Status.Sync
	out := []deployed{deployedOf(sync.ComparedTo.Source, sync.ComparedTo.Sources, sync.Revision, sync.Revisions)}
	for i := range app.Status.History {
		h := &app.Status.History[i]
		out = append(out, deployedOf(h.Source, h.Sources, h.Revision, h.Revisions))
	}
	if st := app.Status.OperationState; st != nil && st.SyncResult != nil {
		r := st.SyncResult
		out = append(out, deployedOf(r.Source, r.Sources, r.Revision, r.Revisions))
	}
	return out
}

// had reports whether it has this source, of the same repository, at a revision.
func (d deployed) had(i int, source *v1alpha1.ApplicationSource, revision string) bool {
	return i < len(d.sources) && i < len(d.revisions) && d.revisions[i] == revision &&
		d.sources[i].RepoURL == source.RepoURL && d.sources[i].Chart == source.Chart
}

// knows reports whether an Application's status has a source at a revision: no other
// one is fetched for who asks. What is the version of one source may be a branch of
// another, and what was a tag may be another one now.
func knows(app *v1alpha1.Application, i int, revision string) bool {
	source := &app.Spec.GetSources()[i]
	if revision == "" || source.Chart == "" && !source.IsOCI() && !commitName.MatchString(revision) {
		return false
	}
	return slices.ContainsFunc(deployments(app), func(d deployed) bool { return d.had(i, source, revision) })
}
