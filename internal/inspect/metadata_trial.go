package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// trial expands and renders with metadata that somebody made up: what it says
// is to be fetched is fetched only where the project permits that, and fetches
// from there anyway.
type trial struct {
	inspector *Inspector
	projects  interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
	// repos are the addresses that each project fetches from. What others do is no
	// part of the answer.
	repos map[projectRepo]bool
}

// projectRepo is a repository as one project has it.
type projectRepo struct{ project, repoURL string }

// Trial implements serve.Bridge.
func (i *Inspector) Trial(ctx context.Context, fleet bridge.Fleet) (bridge.Stages, error) {
	t := &trial{inspector: i, projects: i.rules(), repos: map[projectRepo]bool{}}
	return t, t.know(ctx, fleet)
}

// know notes the addresses of all Applications, and of what sets read.
func (t *trial) know(ctx context.Context, fleet bridge.Fleet) error {
	var all v1alpha1.ApplicationList
	if err := t.inspector.client.List(ctx, &all, client.InNamespace(t.inspector.cfg.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("cannot list applications: %w", err)
	}
	for i := range all.Items {
		t.note(&all.Items[i])
	}
	t.noteSets(fleet)
	return nil
}

func (t *trial) noteSets(fleet bridge.Fleet) {
	for i := range fleet.Sets {
		e := fleet.Sets[i].Expansion
		if e == nil {
			continue
		}
		for j := range e.Applications {
			if !fleet.Sets[i].Outlined {
				t.note(&e.Applications[j])
			}
		}
		for _, r := range e.Reads.Repos {
			t.repos[projectRepo{r.Project, r.RepoURL}] = true
		}
	}
}

func (t *trial) note(app *v1alpha1.Application) {
	for _, s := range app.Spec.GetSources() {
		t.repos[projectRepo{app.Spec.GetProject(), s.RepoURL}] = true
	}
}

// used refuses what is fetched for no Application and no set of a project.
func (t *trial) used(project, repoURL string) error {
	if t.repos[projectRepo{project, repoURL}] {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "nothing of project %q is fetched from %s: it is not fetched for a trial", project, gitops.PublicAddress(repoURL))
}

// trialReads reads what generators of one set ask for in a trial.
type trialReads struct {
	*trial

	// written are the addresses that the set says itself. Who wrote it has it read
	// them whatever the project of its template permits; metadata choose none of them.
	written map[string]bool
}

// Snapshot implements generate.Snapshots.
func (t trialReads) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if err := t.may(ctx, ref); err != nil {
		return nil, err
	}
	return t.inspector.sources.Snapshot(ctx, ref) // as sets do, see Inspector.generator
}

// may tells why something is not fetched. Where parameters name the project, too,
// nobody can say what it permits.
func (t trialReads) may(ctx context.Context, ref gitops.SourceRef) error {
	if t.written[ref.RepoURL] {
		return nil
	}
	if ref.Project == "" {
		return gitops.Problemf(gitops.Forbidden, "the project of the template has parameters, so it is not known whether it permits %s: it is not fetched for a trial", gitops.PublicAddress(ref.RepoURL))
	}
	project, err := t.projects.Project(ctx, ref.Project)
	if err != nil {
		return err
	}
	if err := policy.Source(project, ref); err != nil {
		return err
	}
	return t.used(ref.Project, ref.RepoURL)
}

// writtenIn are the addresses of repositories that the generators of a set say
// without a parameter.
func writtenIn(set *v1alpha1.ApplicationSet) (map[string]bool, error) {
	text, err := json.Marshal(set.Spec.Generators)
	if err != nil {
		return nil, fmt.Errorf("cannot read the generators of %s: %w", set.Name, err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("cannot read the generators of %s: %w", set.Name, err)
	}
	out := map[string]bool{}
	addresses(tree, out)
	return out, nil
}

func addresses(tree any, into map[string]bool) {
	switch v := tree.(type) {
	case map[string]any:
		for name, value := range v {
			if text, is := value.(string); is && name == "repoURL" && !strings.Contains(text, "{{") {
				into[text] = true
			}
			addresses(value, into)
		}
	case []any:
		for _, value := range v {
			addresses(value, into)
		}
	}
}

// Expand implements bridge.Stages.
func (t *trial) Expand(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error) {
	written, err := writtenIn(set)
	if err != nil {
		return nil, err
	}
	return trialReads{t, written}.expand(ctx, set, clusters)
}

func (t trialReads) expand(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error) {
	i := t.inspector
	g := generate.New(listedClusters(clusters), t, i.stored(), append(i.lookups(), generate.WithRoom(i.room), generate.WithAccount(trials))...)
	return g.Applications(ctx, set)
}

// Render implements bridge.Stages.
func (t *trial) Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	for _, s := range app.Spec.GetSources() {
		if err := t.used(app.Spec.GetProject(), s.RepoURL); err != nil {
			return nil, err
		}
	}
	return t.inspector.Render(ctx, app)
}
