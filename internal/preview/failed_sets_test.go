package preview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// ownAddress is the previewed repository.
const ownAddress = "https://git.example.com/acme/fleet"

// oneTree is what a side reads by its own address, and nothing else.
type oneTree struct{ snapshot *gitops.Snapshot }

func (s oneTree) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	if ref.RepoURL != ownAddress || ref.Revision == "gone" {
		return nil, errors.New("it cannot be read")
	}
	return s.snapshot, nil
}

// sideWith is a side of one cluster, with files.
func sideWith(revision string, files treetest.Files) *State {
	s := fleetWith([3]string{"dev"})
	s.Side.Sources = oneTree{treetest.Snapshot(ownAddress, revision, files)}
	s.Side.Moves = func(repoURL, _ string) bool { return repoURL == ownAddress }
	return s
}

// A set that cannot be expanded is untold, unless it is certain to be as it was. What no
// preview can ask is unknown, and nothing that the change broke.
func TestSetsThatCannotBeExpanded(t *testing.T) {
	const git = `{"git":{"repoURL":"` + ownAddress + `","revision":"HEAD",%s}}`
	same, moved := fmt.Sprintf(git, `"directories":[{"path":"apps/*"}]`), fmt.Sprintf(git, `"directories":[{"path":"charts/*"}]`)
	cases := map[string]struct {
		reason, generators string
		// was is what the set had before, the same where it is empty.
		was     string
		cluster bool
		want    string
	}{
		"Same":       {"it reads what stays", same, "", false, ""},
		"Moved":      {"it reads what the change moves", moved, "", false, "untold"},
		"Within":     {"however deep that stands", `{"matrix":{"generators":[{"list":{}},` + moved + `]}}`, "", false, "untold"},
		"File":       {"files, too", fmt.Sprintf(git, `"files":[{"path":"apps/a.json"},{"path":"charts/web/values.yaml"}]`), "", false, "untold"},
		"NotThere":   {"a folder that is not there may be read tomorrow", fmt.Sprintf(git, `"directories":[{"path":"nowhere/*"}]`), "", false, "untold"},
		"Elsewhere":  {"another repository does not move", `{"git":{"repoURL":"https://git.example.com/x","revision":"HEAD","directories":[{"path":"*"}]}}`, "", false, ""},
		"Template":   {"nobody knows which repository", `{"git":{"repoURL":"{{url}}","revision":"HEAD","directories":[{"path":"*"}]}}`, "", false, "untold"},
		"Unreadable": {"nobody knows what is in it", `{"git":{"repoURL":"` + ownAddress + `","revision":"gone","directories":[{"path":"apps/*"}]}}`, "", false, "untold"},
		"Edited":     {"the set itself is another one", same, `{"list":{}}`, false, "untold"},
		"Plugin":     {"a plugin is asked by no preview, and the set is as it was", `{"plugin":{"configMapRef":{"name":"a"}}}`, "", false, ""},
		"PluginNew":  {"or it is another one", `{"plugin":{"configMapRef":{"name":"a"}}}`, same, false, "unknown"},
		"HostWithin": {"so is a host", `{"merge":{"mergeKeys":["a"],"generators":[{"list":{}},{"scmProvider":{"github":{"organization":"a"}}}]}}`, same, false, "unknown"},
		"Clusters":   {"it lists clusters, which are others now", `{"clusters":{}}`, "", true, "untold"},
		"NoClusters": {"it lists none", same, "", true, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := sideWith("1", treetest.Files{"apps/a.json": "{}", "charts/web/values.yaml": "a: 1"})
			after := sideWith("2", treetest.Files{"apps/a.json": "{}", "charts/web/values.yaml": "a: 2"})
			if tc.was == "" {
				tc.was = tc.generators
			}
			before.Sets[setID("web")], after.Sets[setID("web")] = setWith(t, tc.was), setWith(t, tc.generators)
			after.Sets[setID("fine")] = &Set{ApplicationSet: &v1alpha1.ApplicationSet{}}
			after.Sets[setID("web")].Err = errors.New("it cannot be expanded")
			if tc.cluster {
				after.Side.Roster.Clusters = append(after.Side.Roster.Clusters, roster.Cluster{Cluster: gitops.Cluster{Name: "new", Server: "https://new"}})
			}
			var sum forecast.Summary
			newComparison(before, after, Options{}.complete()).sets(t.Context(), &sum)
			want := forecast.Summary{}
			switch tc.want {
			case "untold":
				want.Untold = 1
			case "unknown":
				want.Unknown = 1
			}
			if diff := cmp.Diff(want, sum); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// setWith is a set with one generator.
func setWith(t *testing.T, generator string) *Set {
	t.Helper()
	set := &v1alpha1.ApplicationSet{}
	if err := json.Unmarshal([]byte("["+generator+"]"), &set.Spec.Generators); err != nil {
		t.Fatal(err)
	}
	return &Set{ApplicationSet: set, ID: setID("web")}
}

// Where a set is as it was, and no cluster is another one, its generators have read
// something else.
func TestCausesInWhatGeneratorsRead(t *testing.T) {
	set := func(change func(*Set)) *Set {
		s := setWith(t, `{"list":{}}`)
		s.Place.File, s.Place.Line = "set.yaml", 3
		s.Expansion = &generate.Expansion{Reads: generate.Reads{Repos: []gitops.SourceRef{{RepoURL: "https://me:hush@git.example.com/acme/fleet.git"}}}}
		if change != nil {
			change(s)
		}
		return s
	}
	cases := map[string]struct {
		reason        string
		before, after *Set
		want          []string
	}{
		"Files":   {"files of a repository, which is named without its password", set(nil), set(nil), []string{"file files that ApplicationSet argocd/web reads from fleet.git"}},
		"Nothing": {"it reads none", set(func(s *Set) { s.Expansion.Reads.Repos = nil }), set(func(s *Set) { s.Expansion.Reads.Repos = nil }), nil},
		"Failed":  {"it gave nothing before", set(func(s *Set) { s.Expansion = nil }), set(nil), nil},
		"Edited":  {"the set itself is another one", set(nil), set(func(s *Set) { s.Spec.GoTemplate = true }), []string{"spec ApplicationSet argocd/web is changed"}},
		"New":     {"the set is new", nil, set(nil), []string{"spec ApplicationSet argocd/web is new"}},
		"Gone":    {"the set is gone", set(nil), nil, []string{"spec ApplicationSet argocd/web is gone"}},
		"Neither": {"no side has it", nil, nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &comparison{before: fleetWith(), after: fleetWith()}
			if tc.before != nil {
				c.before.Sets[setID("web")] = tc.before
			}
			if tc.after != nil {
				c.after.Sets[setID("web")] = tc.after
			}
			p := &pair{change: forecast.Added, head: appOn("web-dev", "dev", setID("web"))}
			var got []string
			for _, cause := range c.makerCauses(p) {
				got = append(got, cause.Kind+" "+cause.What)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// How files are matched decides what a set gives that reads some: where that changes, it is
// not certain to be as it was.
func TestSetsOfFilesThatAreMatchedOtherwise(t *testing.T) {
	const git = `{"git":{"repoURL":"` + ownAddress + `","revision":"HEAD",%s}}`
	for name, tc := range map[string]struct {
		reason, generator string
		untold            int
	}{
		"Files":       {"a pattern means something else", fmt.Sprintf(git, `"files":[{"path":"apps/*.json"}]`), 1},
		"Directories": {"folders are matched as before", fmt.Sprintf(git, `"directories":[{"path":"apps/*"}]`), 0},
	} {
		files := treetest.Files{"apps/a.json": "{}"}
		before, after := sideWith("1", files), sideWith("2", files)
		after.Side.DoublestarFiles = true
		before.Sets[setID("web")], after.Sets[setID("web")] = setWith(t, tc.generator), setWith(t, tc.generator)
		after.Sets[setID("web")].Err = errors.New("it cannot be expanded")
		var sum forecast.Summary
		newComparison(before, after, Options{}.complete()).sets(t.Context(), &sum)
		if sum.Untold != tc.untold {
			t.Errorf("%s: %s: %d are untold", name, tc.reason, sum.Untold)
		}
	}
}
