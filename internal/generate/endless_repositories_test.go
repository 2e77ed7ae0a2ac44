package generate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

const endless = "https://git.example.com/endless"

func fromGit(items string) string {
	return fast("generators: [{git: {repoURL: '" + endless + "', revision: main, " + items + "}}]")
}

// TestRepositoriesWithoutEnd are an error that says what to do, and no answer.
func TestRepositoriesWithoutEnd(t *testing.T) {
	bomb := walktest.Bomb{Deep: 10, Every: "x.yaml"}
	large := dirTree{fstest.MapFS{"a/x.yaml": {Data: []byte("a: " + repeated("b", 600))}, "a/y.yaml": {Data: []byte("a: " + repeated("b", 600))}}}
	small := Limits{Entries: 150, Read: 1000}.complete()
	cases := map[string]struct {
		reason string
		tree   gitops.Tree
		limits Limits
		items  string
		want   string
	}{
		"files":            {"ten folders of ten folders of ten are more than anybody lists", bomb, DefaultLimits(), "files: [{path: '**/x.yaml'}]", "more than 200000 files and folders"},
		"folders":          {"and so are the folders alone", bomb, DefaultLimits(), "directories: [{path: 'd[0-9]*'}]", "more than 200000 files and folders"},
		"levels":           {"each star is a level", bomb, DefaultLimits(), "directories: [{path: '*/*/*/*/*/*/*/*/*'}]", "more than 200000 files and folders"},
		"many looks":       {"what generators list is kept, so all looks count", bomb, small, "directories: [{path: 'd0/*/d'}, {path: 'd1/*/d'}, {path: 'd2/*/d'}]", "more than 150 files and folders"},
		"much of one file": {"three bytes become a mapping", dirTree{fstest.MapFS{"a/x.yaml": {Data: []byte("a: [" + repeated("{},", 500_000) + "1]")}}}, DefaultLimits(), "files: [{path: '**/*.yaml'}]", "more than 400000 values"},
		"much of all": {"what files become is kept as well", dirTree{fstest.MapFS{
			"a/x.yaml": {Data: []byte("a: [" + repeated("{},", 150_000) + "1]")}, "a/y.yaml": {Data: []byte("a: [" + repeated("{},", 150_000) + "1]")},
		}}, DefaultLimits(), "files: [{path: '**/*.yaml'}]", "together have more than 500000 values"},
		"many files": {"what they read is kept as well", large, small, "files: [{path: '**/*.yaml'}]", "cannot read more than"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := New(testFleet(), fakeRepos{endless: tc.tree}, anyProject{}, WithLimits(tc.limits))
			got, err := g.Applications(t.Context(), specSet(t, fromGit(tc.items)))
			var p *gitops.Problem
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), endless) || !errors.As(err, &p) || p.Kind != gitops.Invalid || p.Fix == "" {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if n := len(fmt.Sprint(err)); n > 1000 {
				t.Errorf("the message is %d bytes long", n)
			}
			_ = got
		})
	}
}

// TestNarrowPatternsOfARepositoryWithoutEnd are answered: what they cannot
// match is not looked at.
func TestNarrowPatternsOfARepositoryWithoutEnd(t *testing.T) {
	g := New(testFleet(), fakeRepos{endless: walktest.Bomb{Deep: 10, Files: map[string]string{"d0/app.yaml": "app: a"}}}, anyProject{})
	for name, items := range map[string]string{
		"a file":     "files: [{path: d0/app.yaml}]",
		"two levels": "directories: [{path: '*/*'}]",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := g.Applications(t.Context(), specSet(t, fromGit(items))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWalksEndWithTheExpansion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := New(testFleet(), fakeRepos{endless: walktest.Bomb{Deep: 10}}, anyProject{})
	_, err := g.Applications(ctx, specSet(t, fromGit("files: [{path: '**/x.yaml'}]")))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a repository is walked for nobody: %v", err)
	}
}
