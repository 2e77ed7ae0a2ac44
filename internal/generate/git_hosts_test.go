package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// fakeHost is a Git host with one organisation.
type fakeHost struct {
	repos    []gitops.HostRepository
	branches map[string][]string
	paths    map[string]bool
	pulls    []gitops.PullRequest
	err      error
}

func (f *fakeHost) Forge(context.Context, string, *v1alpha1.SCMProviderGenerator) (Forge, error) {
	return f, nil
}

func (f *fakeHost) Reviews(context.Context, string, *v1alpha1.PullRequestGenerator) (Reviews, error) {
	return f, nil
}

func (f *fakeHost) Repositories(context.Context) ([]gitops.HostRepository, error) {
	return f.repos, f.err
}

func (f *fakeHost) Branches(_ context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	more, ok := f.branches[r.Repository]
	if !ok {
		return []gitops.HostRepository{r}, nil
	}
	var out []gitops.HostRepository
	for _, b := range more {
		one := r
		one.Branch = b
		out = append(out, one)
	}
	return out, nil
}

func (f *fakeHost) HasPath(_ context.Context, r gitops.HostRepository, path string) (bool, error) {
	return f.paths[r.Repository+"@"+r.Branch+":"+path], nil
}

func (f *fakeHost) PullRequests(context.Context) ([]gitops.PullRequest, error) { return f.pulls, f.err }

const testSHA = "0123456789abcdef0123456789abcdef01234567"

func testHost() *fakeHost {
	repo := func(name string, topics ...string) gitops.HostRepository {
		return gitops.HostRepository{Organization: "org", Repository: name, ID: "7", URL: "git@h:org/" + name + ".git", Branch: "main", SHA: testSHA, Labels: topics}
	}
	return &fakeHost{
		repos:    []gitops.HostRepository{repo("web", "team-a", "go"), repo("db", "team-b"), repo("docs")},
		branches: map[string][]string{"db": {"main", "feature/X_1"}},
		paths:    map[string]bool{"web@main:deploy": true, "db@main:deploy": true, "db@feature/X_1:deploy": true, "db@feature/X_1:old": true},
		pulls: []gitops.PullRequest{
			{Number: 7, Title: "feat: Ünïcode", Branch: "feature/Add_it & more", TargetBranch: "main", HeadSHA: testSHA, Author: "ann", Labels: []string{"preview"}},
			{Number: 8, Title: "fix", Branch: "fix-1", TargetBranch: "release/1", HeadSHA: "abc", Author: "bob"},
		},
	}
}

// fakeSettings are ConfigMaps by name, and Secrets by name:key.
type fakeSettings map[string]map[string]string

func (f fakeSettings) ConfigMap(_ context.Context, _, name string) (map[string]string, error) {
	data, ok := f[name]
	if !ok {
		return nil, gitops.Problemf(gitops.NotFound, "ConfigMap %s does not exist", name)
	}
	return data, nil
}

func (f fakeSettings) SecretKey(_ context.Context, _, name, key string) (string, error) {
	value, ok := f[name][key]
	if !ok {
		return "", gitops.Problemf(gitops.NotFound, "Secret %s has no key %s", name, key)
	}
	return value, nil
}

// fakeObjects are objects of the hub.
type fakeObjects []unstructured.Unstructured

func (f fakeObjects) List(_ context.Context, _ string, q Query) ([]unstructured.Unstructured, error) {
	if q.Group != "mallard.io" || q.Version != "v1beta1" || q.Kind != "ducks" {
		return nil, fmt.Errorf("unexpected query %v", q)
	}
	var out []unstructured.Unstructured
	for _, o := range f {
		if q.Name == o.GetName() || q.Labels != nil && q.Labels.Matches(labels.Set(o.GetLabels())) {
			out = append(out, o)
		}
	}
	return out, nil
}

func expandNames(t *testing.T, g *Generator, spec string) ([]string, *Expansion, error) {
	t.Helper()
	exp, err := g.Applications(context.Background(), specSet(t, spec))
	var out []string
	for _, app := range exp.Applications {
		out = append(out, app.Name+"="+app.Annotations["v"])
	}
	for _, r := range exp.Rejected {
		t.Errorf("rejected: %v", r.Err)
	}
	return out, exp, err
}

func TestSCMProvider(t *testing.T) {
	all := "{{organization}} {{repository}} {{repository_id}} {{url}} {{branch}} {{branchNormalized}} {{short_sha}} {{short_sha_7}} {{labels}} {{values.x}}"
	for name, c := range map[string]struct {
		reason, filters, show string
		want                  []string
	}{
		"all parameters": {
			reason: "texts in both modes", filters: "[{repositoryMatch: '^web$'}]", show: all,
			want: []string{"web-main=org web 7 git@h:org/web.git main main 01234567 0123456 team-a,go x-web"},
		},
		"no filter": {reason: "each branch of each repository", show: "{{branch}}", want: []string{"db-feature-x-1=feature/X_1", "db-main=main", "docs-main=main", "web-main=main"}},
		"label":     {reason: "one label has to match", filters: "[{labelMatch: team}]", show: "v", want: []string{"db-feature-x-1=v", "db-main=v", "web-main=v"}},
		"branch":    {reason: "branches of all repositories are looked at", filters: "[{branchMatch: ^feature}]", show: "v", want: []string{"db-feature-x-1=v"}},
		"paths": {
			reason: "a slash at the end does not matter; both lists count", filters: "[{pathsExist: [deploy/], pathsDoNotExist: [old]}]", show: "v",
			want: []string{"db-main=v", "web-main=v"},
		},
		"either": {
			reason: "one filter has to match, at each of the two steps", filters: "[{repositoryMatch: web, branchMatch: none}, {repositoryMatch: db, branchMatch: main}, {repositoryMatch: docs}]", show: "v",
			want: []string{"db-main=v", "docs-main=v", "web-main=v"},
		},
		"nothing": {reason: "no result is no error", filters: "[{repositoryMatch: '^$'}]", show: "v"},
	} {
		for _, mode := range []string{"fast", "go"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				spec := fast("generators: [{scmProvider: {github: {organization: org}, values: {x: 'x-{{repository}}'}, filters: " + orText(c.filters, "[]") + "}}]")
				spec = replaced(spec, "'{{app}}'", "'{{repository}}-{{branchNormalized}}'", "{{v}}", c.show)
				got, _, err := expandNames(t, New(testFleet(), nil, anyProject{}, WithHosts(testHost())), inMode(spec, mode))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.reason, d)
				}
			})
		}
	}
}

// inMode writes the placeholders of the fast mode for Go templates.
func inMode(spec, mode string) string {
	if mode == "fast" {
		return spec
	}
	return "goTemplate: true\n" + strings.ReplaceAll(spec, "{{", "{{.")
}

func TestPullRequests(t *testing.T) {
	all := "{{number}} {{title}} {{author}} {{branch}} {{branch_slug}} {{target_branch}} {{target_branch_slug}} {{head_sha}} {{head_short_sha}} {{head_short_sha_7}} {{values.x}}"
	for name, c := range map[string]struct {
		reason, filters, show string
		want                  []string
	}{
		"all parameters": {
			reason: "slugs fit into names", filters: "[{branchMatch: Add}]", show: all,
			want: []string{"pr-7=7 feat: Ünïcode ann feature/Add_it & more feature-add-it-and-more main main " + testSHA + " 01234567 0123456 x-7"},
		},
		"short hash":   {reason: "a hash may be shorter than its short form", filters: "[{titleMatch: ^fix}]", show: "{{head_short_sha}}", want: []string{"pr-8=abc"}},
		"no filter":    {reason: "all open ones", show: "v", want: []string{"pr-7=v", "pr-8=v"}},
		"target":       {reason: "by the branch that it goes to", filters: "[{targetBranchMatch: ^release/}]", show: "{{target_branch_slug}}", want: []string{"pr-8=release-1"}},
		"all parts":    {reason: "all parts of a filter have to match", filters: "[{branchMatch: Add, titleMatch: ^fix}]", show: "v"},
		"one of those": {reason: "one filter has to match", filters: "[{branchMatch: Add}, {titleMatch: ^fix}]", show: "v", want: []string{"pr-7=v", "pr-8=v"}},
	} {
		for _, mode := range []string{"fast", "go"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				spec := fast("generators: [{pullRequest: {github: {owner: org, repo: web}, values: {x: 'x-{{number}}'}, filters: " + orText(c.filters, "[]") + "}}]")
				spec = replaced(spec, "'{{app}}'", "'pr-{{number}}'", "{{v}}", c.show)
				got, _, err := expandNames(t, New(testFleet(), nil, anyProject{}, WithHosts(testHost())), inMode(spec, mode))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.reason, d)
				}
			})
		}
	}
}

func TestLabelsOfPullRequests(t *testing.T) {
	spec := replaced(goMode("generators: [{pullRequest: {github: {owner: org, repo: web}}}]"), "{{.app}}", "pr-{{.number}}", "{{.v}}", `{{join "+" .labels}}`)
	got, _, err := expandNames(t, New(testFleet(), nil, anyProject{}, WithHosts(testHost())), spec)
	if d := cmp.Diff([]string{"pr-7=preview", "pr-8="}, got); d != "" || err != nil {
		t.Errorf("labels are a list with Go templates (-want +got):\n%s\n%v", d, err)
	}
}

func TestHostErrors(t *testing.T) {
	gone := gitops.Problemf(gitops.NotFound, "repository does not exist")
	down := errors.New("connection refused")
	const pulls, scm = "pullRequest: {github: {owner: org, repo: web}", "scmProvider: {github: {organization: org}"
	for name, c := range map[string]struct {
		reason, generator string
		err               error
		kind              gitops.ProblemKind
		want, warning     string
	}{
		"outage":            {"nothing may be deleted then, and it is tried again", pulls, down, gitops.Unreachable, "connection refused", ""},
		"scm outage":        {"the same", scm, down, gitops.Unreachable, "connection refused", ""},
		"repository gone":   {"an error, unless the generator says otherwise", pulls, gone, gitops.NotFound, "does not exist", ""},
		"gone, continue":    {"nothing, with a warning", pulls + ", continueOnRepoNotFoundError: true", gone, 0, "", "generator 1: the repository"},
		"outage, continue":  {"that is about repositories that do not exist alone", pulls + ", continueOnRepoNotFoundError: true", down, gitops.Unreachable, "connection refused", ""},
		"broken expression": {"it names the filter", pulls + ", filters: [{titleMatch: '('}]", nil, gitops.Invalid, "titleMatch", ""},
	} {
		t.Run(name, func(t *testing.T) {
			host := testHost()
			host.err = c.err
			exp, err := New(testFleet(), nil, anyProject{}, WithHosts(host)).Applications(context.Background(), specSet(t, fast("generators: [{"+c.generator+"}}]")))
			if c.want == "" {
				if err != nil || len(exp.Applications) > 0 || len(exp.Warnings) != 1 || !strings.Contains(exp.Warnings[0].Message, c.warning) {
					t.Errorf("%s: %v, %+v", c.reason, err, exp)
				}
				return
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != c.kind || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "generator 1") {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

func TestBranchSlug(t *testing.T) {
	long, spaced := "feature/"+strings.Repeat("abcdefghi-", 6), " x "
	for text, want := range map[string]string{
		"main": "main", "Feature/ABC-1": "feature-abc-1", "a__b": "a-b", spaced: "x", "": "", "---": "",
		"a&b@c": "aandbatc", "it's": "its", "größe/naïve": "grosse-naive", "\u65e5\u672c": "",
		long: "feature-abcdefghi-abcdefghi-abcdefghi-abcdefghi", strings.Repeat("y", 60): strings.Repeat("y", 50), strings.Repeat("-", 2*longestBranch) + "z": "",
	} {
		if got := branchSlug(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestAgain(t *testing.T) {
	for name, c := range map[string]struct {
		generators string
		want       string
	}{
		"none":      {"[{clusters: {}}]", "0s"},
		"default":   {"[{pullRequest: {}}]", "30m0s"},
		"own":       {"[{pullRequest: {requeueAfterSeconds: 60}}]", "1m0s"},
		"never":     {"[{pullRequest: {requeueAfterSeconds: 0}}]", "0s"},
		"overflow":  {"[{pullRequest: {requeueAfterSeconds: 18446744074}}]", "2562047h47m16s"}, // by whole numbers a third of a second
		"shortest":  {"[{scmProvider: {requeueAfterSeconds: 0}}, {plugin: {configMapRef: {name: x}, requeueAfterSeconds: 90}}, {pullRequest: {}}]", "1m30s"},
		"decisions": {"[{clusterDecisionResource: {configMapRef: x}}]", "3m0s"},
		"nested":    {"[{matrix: {generators: [{clusters: {}}, {merge: {mergeKeys: [a], generators: [{list: {elements: []}}, {pullRequest: {requeueAfterSeconds: 5}}]}}]}}]", "5s"},
	} {
		if got := again(specSet(t, fast("generators: "+c.generators))).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestReadsOfHosts(t *testing.T) {
	spec := fast("generators: [{matrix: {generators: [{list: {elements: [{repo: web}, {repo: db}]}}, {pullRequest: {github: {owner: org, repo: '{{repo}}'}}}]}}]")
	spec = replaced(spec, "{{app}}", "{{repo}}-{{number}}", "{{v}}", "v")
	_, exp, err := expandNames(t, New(testFleet(), nil, anyProject{}, WithHosts(testHost())), spec)
	if err != nil {
		t.Fatal(err)
	}
	var repos []string
	for _, g := range exp.Reads.Reviews {
		repos = append(repos, g.Github.Repo)
	}
	if !slices.Equal(repos, []string{"web", "db"}) || len(exp.Applications) != 4 {
		t.Errorf("repositories %v of %d applications, want those that the matrix rendered", repos, len(exp.Applications))
	}
}

// TestWhatIsAskedOfHostsIsBounded: what other generators give makes no question that is
// too large to be remembered.
func TestWhatIsAskedOfHostsIsBounded(t *testing.T) {
	r := &run{held: &account{share: 1 << 30, most: 1 << 30}}
	small, large := &v1alpha1.PullRequestGenerator{}, &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Labels: []string{strings.Repeat("x", mostOfHost)}}}
	if err := r.asksReviews(small); err != nil {
		t.Error(err)
	}
	if err := r.asksReviews(large); err == nil || len(r.reviews) != 1 {
		t.Errorf("%d are asked, %v", len(r.reviews), err)
	}
}
