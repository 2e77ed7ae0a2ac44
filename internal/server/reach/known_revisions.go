package reach

import (
	"encoding/json"
	"reflect"
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

// Had reports whether an Application's status has a source at a revision: no other
// one is fetched for who asks. What is the version of one source may be a branch of
// another, and what was a tag may be another one now.
func Had(app *v1alpha1.Application, i int, revision string) bool {
	source := &app.Spec.GetSources()[i]
	if revision == "" || source.Chart == "" && !source.IsOCI() && !commitName.MatchString(revision) {
		return false
	}
	return slices.ContainsFunc(deployments(app), func(d deployed) bool { return d.had(i, source, revision) })
}

// Knows reports whether a source of an Application names a revision, or had it. Who may
// push another one decides what is rendered of it, with the keys of the engine: that
// asks for the right to sync it to that (override).
func Knows(app *v1alpha1.Application, i int, revision string) bool {
	return revision == app.Spec.GetSources()[i].TargetRevision || Had(app, i, revision)
}

// Own reports whether an Application, as it would be, is rendered of what it is rendered
// of as it is, or was at another revision that it knows. Of its name and namespace
// nothing is asked.
func Own(app, as *v1alpha1.Application) bool {
	is, would := app.Spec.GetSources(), as.Spec.GetSources()
	const paths = v1alpha1.AnnotationManifestGeneratePaths
	if app.Spec.GetProject() != as.Spec.GetProject() || app.Spec.Destination != as.Spec.Destination ||
		app.Annotations[paths] != as.Annotations[paths] || len(is) != len(would) {
		return false
	}
	for i := range would {
		if !Knows(app, i, would[i].TargetRevision) || !alike(is[i], would[i]) {
			return false
		}
	}
	return true
}

// alike reports whether two sources say the same, whatever their revisions: as JSON has
// them, since a cluster writes it in its own way.
func alike(a, b v1alpha1.ApplicationSource) bool {
	a.TargetRevision, b.TargetRevision = "", ""
	x, wrong := tree(&a)
	y, err := tree(&b)
	return wrong == nil && err == nil && reflect.DeepEqual(x, y)
}

func tree(source *v1alpha1.ApplicationSource) (out any, err error) {
	text, err := json.Marshal(source)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &out)
	return out, err
}
