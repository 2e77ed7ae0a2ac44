package inspect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// permitting are projects by the repositories that they permit.
type permitting map[string][]string

func (p permitting) Project(_ context.Context, name string) (*v1alpha1.AppProject, error) {
	repos, is := p[name]
	if !is {
		return nil, gitops.Problemf(gitops.NotFound, "project %q does not exist", name)
	}
	out := &v1alpha1.AppProject{}
	out.Name, out.Spec.SourceRepos = name, repos
	return out, nil
}

// TestTrialReads: metadata that somebody made up have nothing read that the
// project does not permit, and the answer about it is the same whether others
// read it or not.
func TestTrialReads(t *testing.T) {
	const own, theirs, unused, config = "https://git.example.com/own", "https://git.example.com/theirs", "https://git.example.com/unused", "https://git.example.com/config"
	app := func(project, repo string) v1alpha1.Application {
		return v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: project, Source: &v1alpha1.ApplicationSource{RepoURL: repo}}}
	}
	tr := &trial{projects: permitting{"ours": {own, unused}, "theirs": {"*"}}, repos: map[projectRepo]bool{}}
	for _, a := range []v1alpha1.Application{app("ours", own), app("theirs", theirs)} {
		tr.note(&a)
	}
	reads := trialReads{tr, map[string]bool{config: true}}
	cases := map[string]struct {
		reason, project, repo string
		says                  string // empty where it is read
	}{
		"Own":       {"the project permits it, and reads it", "ours", own, ""},
		"Written":   {"the set says it itself, whatever its project permits", "ours", config, ""},
		"Templated": {"what the set says itself needs no project", "", config, ""},
		"Theirs":    {"the project does not permit it", "ours", theirs, "does not permit it"},
		"Nobody's":  {"the answer is the same where nobody reads it", "ours", "https://git.example.com/none", "does not permit it"},
		"Unused":    {"nothing is fetched from where the project fetches nothing", "ours", unused, `nothing of project "ours" is fetched from`},
		"OfOthers":  {"what others fetch is not told", "theirs", own, `nothing of project "theirs" is fetched from`},
		"NoProject": {"nobody says what would be permitted", "", own, "has parameters"},
		"Nowhere":   {"there is no such project", "nowhere", own, "does not exist"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := reads.may(t.Context(), gitops.SourceRef{RepoURL: tc.repo, Project: tc.project})
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestTrialKnowsWhatSetsRead: a set's project is its reader.
func TestTrialKnowsWhatSetsRead(t *testing.T) {
	tr := &trial{repos: map[projectRepo]bool{}}
	tr.noteSets(bridge.Fleet{Sets: []bridge.Set{{}, {Expansion: &generate.Expansion{Reads: generate.Reads{Repos: []gitops.SourceRef{{RepoURL: "a", Project: "ours"}}}}}}})
	if tr.used("ours", "a") != nil || tr.used("theirs", "a") == nil {
		t.Errorf("it knows %v", tr.repos)
	}
}

// TestWrittenIn: what has a parameter in it is chosen by whoever writes that.
func TestWrittenIn(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	err := yaml.UnmarshalStrict([]byte(`
spec:
  generators:
    - git: {repoURL: plain, revision: HEAD, files: [{path: a.yaml}]}
    - matrix:
        generators:
          - clusters: {}
          - git: {repoURL: '{{metadata.annotations.repo}}', revision: HEAD, files: [{path: a.yaml}]}
    - matrix:
        generators:
          - clusters: {}
          - merge:
              mergeKeys: [a]
              generators:
                - git: {repoURL: nested, revision: HEAD, files: [{path: a.yaml}]}
                - git: {repoURL: 'https://{{.host}}/x', revision: HEAD, files: [{path: a.yaml}]}
  template: {metadata: {name: a}, spec: {project: ours, source: {repoURL: of-the-template}, destination: {name: in-cluster}}}
`), set)
	if err != nil {
		t.Fatal(err)
	}
	got, err := writtenIn(set)
	if names := slices.Sorted(maps.Keys(got)); err != nil || !slices.Equal(names, []string{"nested", "plain"}) {
		t.Errorf("it says %v, %v", names, err)
	}
}
