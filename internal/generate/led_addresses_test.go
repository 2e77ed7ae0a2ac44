package generate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ownSources is a project that permits a repository.
type ownSources string

func (ownSources) Permits(context.Context, string, v1alpha1.ApplicationDestination) (bool, error) {
	return true, nil
}

func (o ownSources) PermitsSource(_ context.Context, project, repoURL string) error {
	if repoURL == string(o) {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "project %q does not permit %s", project, repoURL)
}

// asked are repositories that remember how each was read.
type asked struct {
	fakeRepos

	refs *[]gitops.SourceRef
}

func (a asked) Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	*a.refs = append(*a.refs, ref)
	return a.fakeRepos.Snapshot(ctx, ref)
}

// TestAddressesThatStrangersSay has who writes a file, a host's answer or a plugin's lead a generator: the project of the
// template says where to. What clusters and the set itself say is the operator's word.
func TestAddressesThatStrangersSay(t *testing.T) {
	const (
		red  = "https://git.example.com/red"
		blue = "https://git.example.com/blue"

		files   = "{git: {repoURL: '" + red + "', revision: main, files: [{path: set.yaml}]}}"
		folders = "{git: {repoURL: '{{.repo}}', revision: main, directories: [{path: '*'}]}}"
		refused = `project "red" does not permit ` + blue
	)
	matrix := func(a, b string) string { return "{matrix: {generators: [" + a + ", " + b + "]}}" }
	merge := func(a, b string) string { return "{merge: {mergeKeys: [repo], generators: [" + a + ", " + b + "]}}" }
	list := func(repo string) string { return "{list: {elements: [{repo: '" + repo + "'}]}}" }
	addons := "{git: {repoURL: '{{.metadata.annotations.addons}}', revision: main, directories: [{path: '*'}]}}"
	cases := map[string]struct {
		reason, generator, says, project string
		want                             string // of an error
	}{
		"file":             {reason: "a file leads to another team", generator: matrix(files, folders), says: blue, want: refused},
		"own":              {reason: "and to what its project permits", generator: matrix(files, folders), says: red},
		"artifact":         {reason: "the same, of a registry", generator: matrix(files, "{oci: {repoURL: '{{.repo}}', revision: v1, directories: [{path: '*'}]}}"), says: blue, want: refused},
		"from an artifact": {reason: "and by one", generator: matrix(strings.Replace(files, "{git:", "{oci:", 1), folders), says: blue, want: refused},
		"host":             {reason: "a host's repositories are their owners' word", generator: matrix("{scmProvider: {github: {organization: org}}}", strings.Replace(folders, ".repo", ".url", 1)), want: `project "red" does not permit git@h:org/`},
		"pull request":     {reason: "a branch is that of who opens a pull request", generator: matrix("{pullRequest: {github: {owner: org, repo: web}}}", strings.Replace(folders, "{{.repo}}", "https://{{.author}}.example.com", 1)), want: `project "red" does not permit https://ann.example.com`},
		"by values":        {reason: "a value that takes it from the file", generator: matrix(strings.Replace(files, "revision: main", "revision: main, values: {r: '{{.repo}}'}", 1), strings.Replace(folders, ".repo", ".values.r", 1)), says: blue, want: refused},
		"by a list":        {reason: "a list that takes it from the file", generator: matrix(matrix(files, "{list: {elements: [{to: '{{.repo}}'}]}}"), strings.Replace(folders, ".repo", ".to", 1)), says: blue, want: refused},
		"merged":           {reason: "a merge that has the file in it", generator: matrix(merge(list(red), files), folders), says: red},
		"merged address":   {reason: "the same, and the address is the file's", generator: matrix(merge(list(blue), files), folders), says: blue, want: refused},
		"within":           {reason: "a generator within the second one is led as well", generator: matrix(files, matrix("{list: {elements: [{one: x}]}}", folders)), says: blue, want: refused},
		"within a merge":   {reason: "the same, within a merge", generator: matrix(files, merge(list(blue), folders)), says: blue, want: refused},
		"beside":           {reason: "an address that stands in the set is the operator's", generator: matrix(files, strings.Replace(folders, "{{.repo}}", blue, 1)), says: blue},
		"list":             {reason: "so is one in a list", generator: matrix(list(blue), folders)},
		"bridge":           {reason: "and one that a cluster's Secret says", generator: matrix("{clusters: {selector: {matchLabels: {env: prod}}}}", addons)},
		"bridge, nested":   {reason: "whatever stands before it in the list", generator: matrix("{clusters: {selector: {matchLabels: {env: prod}}}}", matrix(list(red), addons))},
		"project":          {reason: "who leaves the project to a file leaves it what is read", generator: matrix(files, folders), says: blue, project: "'{{.repo}}'"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clusters := fakeClusters{{Name: "prod", Server: "https://prod.example.com", Secret: "prod", Labels: map[string]string{"env": "prod"}, Annotations: map[string]string{"addons": blue}}}
			said := dirTree{fstest.MapFS{"set.yaml": {Data: []byte("repo: " + tc.says)}, "a/x": {}}}
			repos := asked{fakeRepos{red: said, blue: treeOf("b/x")}, &[]gitops.SourceRef{}}
			spec := replaced(goMode("generators: ["+tc.generator+"]"), "project: default", "project: "+cmp.Or(tc.project, "red"), "{{.app}}", "{{.path.basename}}")
			_, err := New(clusters, repos, anyProject{}, WithRules(ownSources(red)), WithHosts(testHost())).Applications(t.Context(), specSet(t, spec))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if tc.want != "" && slices.ContainsFunc(*repos.refs, func(r gitops.SourceRef) bool { return r.RepoURL != red }) {
				t.Errorf("%s: it was read before it was refused: %v", tc.reason, *repos.refs)
			}
		})
	}
}
