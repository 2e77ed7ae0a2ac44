package generate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

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

func treeOf(names ...string) gitops.Tree {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("x: y")}
	}
	return dirTree{files}
}
