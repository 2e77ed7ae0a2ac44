package generate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// asksSigned are the projects that take nothing that is not signed.
type asksSigned struct {
	projects []string
	err      error
	asked    map[string]int
}

func (a asksSigned) Signed(_ context.Context, project string, ref gitops.SourceRef, revision string) error {
	a.asked[project+" "+ref.RepoURL]++
	for _, p := range a.projects {
		if p == project {
			if a.err != nil {
				return a.err
			}
			return gitops.Problemf(gitops.Forbidden, "%s is not signed", revision)
		}
	}
	return nil
}

// TestGeneratorsAskForSignatures: who may push without a key decides nothing of
// a project that asks for one.
func TestGeneratorsAskForSignatures(t *testing.T) {
	const git = "{git: {repoURL: 'https://git.example.com/fleet', revision: main, directories: [{path: '*'}]}}"
	of := func(project, generators string) string {
		return replaced(fast("generators: ["+generators+"]"), "project: default", "project: "+project, "{{app}}", "{{path.basename}}")
	}
	away := errors.New("the host is away")
	cases := map[string]struct {
		reason, spec string
		err          error
		want         string // of an error
		rejected     string // of each Application
	}{
		"signed":           {reason: "the project asks for nothing", spec: of("open", git)},
		"not signed":       {reason: "the set fails as a whole, and so deletes nothing", spec: of("strict", git), want: "is not signed"},
		"matrix":           {reason: "in a matrix as well", spec: of("strict", "{matrix: {generators: [{list: {elements: [{one: x}]}}, "+git+"]}}"), want: "is not signed"},
		"merge":            {reason: "and in a merge", spec: of("strict", "{merge: {mergeKeys: [path], generators: ["+git+", "+git+"]}}"), want: "is not signed"},
		"cannot be told":   {reason: "what cannot be told is no yes", spec: of("strict", git), err: away, want: away.Error()},
		"templated":        {reason: "the Applications of such a project are left as they are", spec: of("'{{project}}'", "{matrix: {generators: [{list: {elements: [{project: strict, one: x}]}}, "+git+"]}}"), rejected: "is not signed"},
		"templated open":   {reason: "others are not", spec: of("'{{project}}'", "{matrix: {generators: [{list: {elements: [{project: open, one: x}]}}, "+git+"]}}")},
		"templated, away":  {reason: "the same for what cannot be told", spec: of("'{{project}}'", "{matrix: {generators: [{list: {elements: [{project: strict, one: x}]}}, "+git+"]}}"), err: away, want: away.Error()},
		"of the generator": {reason: "its template may name another project", spec: of("open", strings.Replace(git, "{git: {", "{git: {template: {metadata: {}, spec: {project: strict, destination: {}}}, ", 1)), rejected: "is not signed"},
		"no repository":    {reason: "nothing was read", spec: of("strict", "{list: {elements: [{path.basename: x}]}}")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asks := asksSigned{[]string{"strict"}, tc.err, map[string]int{}}
			repos := fakeRepos{"https://git.example.com/fleet": treeOf("b/x", "c/x")}
			out, err := New(testFleet(), repos, anyProject{}, WithSignatures(asks)).Applications(t.Context(), specSet(t, tc.spec))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if err == nil && (len(out.Applications) == 0) != (tc.rejected != "") {
				t.Errorf("%s: %d Applications", tc.reason, len(out.Applications))
			}
			for _, r := range out.Rejected {
				if tc.rejected == "" || !strings.Contains(r.Err.Error(), tc.rejected) {
					t.Errorf("%s: %v", tc.reason, r.Err)
				}
			}
			for what, n := range asks.asked {
				if n > 1 {
					t.Errorf("%s was asked %d times", what, n)
				}
			}
		})
	}
}

// TestUnsignedChangesNothingOfLiveApplications that are of a project which asks for
// signatures, whatever project they would be of afterwards.
func TestUnsignedChangesNothingOfLiveApplications(t *testing.T) {
	live := func(name, project string) v1alpha1.Application {
		app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "argocd"}}
		app.Spec.Project = project
		return app
	}
	owned := []v1alpha1.Application{live("b", "strict"), live("c", "open"), live("gone", "strict"), live("went", "open")}
	git := "{git: {repoURL: 'https://git.example.com/fleet', revision: main, directories: [{path: '*'}]}}"
	matrix := func(of string) string {
		return "{matrix: {generators: [{list: {elements: [{project: open}]}}, " + of + "]}}"
	}
	away := errors.New("the host is away")
	for name, tc := range map[string]struct {
		reason, generators string
		strict             []string
		there              Projects
		err                error
		updated, rejected  string
		deleted            int
	}{
		"unsigned":       {"it is neither changed nor deleted", matrix(git), []string{"strict"}, anyProject{}, nil, "c", "b gone", 2},
		"signed":         {"what is signed counts", matrix(git), nil, anyProject{}, nil, "b c", "", 2},
		"nothing read":   {"what is in the set itself is an operator's", "{list: {elements: [{project: open, path.basename: b}, {project: open, path.basename: c}]}}", []string{"strict"}, anyProject{}, nil, "b c", "", 2},
		"no project":     {"what is not there asks for nothing", matrix(git), []string{"strict"}, fakeProjects{"open"}, nil, "b c", "", 2},
		"cannot be told": {"it is no yes", matrix(git), []string{"strict"}, anyProject{}, away, "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			set := specSet(t, replaced(fast("generators: ["+tc.generators+"]"), "project: default", "project: '{{project}}'", "{{app}}", "{{path.basename}}"))
			asks := asksSigned{tc.strict, tc.err, map[string]int{}}
			out, err := New(testFleet(), fakeRepos{"https://git.example.com/fleet": treeOf("b/x", "c/x")}, tc.there, WithSignatures(asks)).Applications(t.Context(), set)
			if err != nil {
				t.Fatal(err)
			}
			if err := out.Withhold(t.Context(), owned); !errors.Is(err, tc.err) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if tc.err != nil {
				return
			}
			changes, err := Plan(t.Context(), set, owned, out)
			if err != nil {
				t.Fatal(err)
			}
			var updated, rejected []string
			for _, app := range changes.Update {
				updated = append(updated, app.Name)
			}
			for _, r := range out.Rejected {
				rejected = append(rejected, r.Name)
			}
			deleted := 0
			for _, app := range changes.Delete {
				if app.Name == "gone" && tc.rejected != "" {
					t.Errorf("%s: %s is deleted", tc.reason, app.Name)
				}
				deleted++
			}
			if tc.rejected != "" {
				deleted++ // what is withheld is not among them
			}
			if strings.Join(updated, " ") != tc.updated || strings.Join(rejected, " ") != tc.rejected || deleted != tc.deleted || len(out.Of) != len(out.Applications) {
				t.Errorf("%s: %v are updated, %v rejected, %d deleted", tc.reason, updated, rejected, deleted)
			}
			if asksAgain := slices.Contains(out.Reads.Projects, "strict"); asksAgain != (tc.rejected != "") {
				t.Errorf("%s: whether it looks again when project strict changes: %t", tc.reason, asksAgain)
			}
		})
	}
}

func treeOf(names ...string) gitops.Tree {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("x: y")}
	}
	return dirTree{files}
}
