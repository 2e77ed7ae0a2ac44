package generate

import (
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestConcerns(t *testing.T) {
	pull := func(host, address, path, id string) HostEvent {
		return HostEvent{Host: host, Address: address, Path: path, ID: id, PullRequest: true}
	}
	repo := func(host, address, path string) HostEvent { return HostEvent{Host: host, Address: address, Path: path} }
	for name, c := range map[string]struct {
		reason, generator string
		event             HostEvent
		want              bool
	}{
		"github":              {"owners do not differ by case", "pullRequest: {github: {owner: Org, repo: web}}", pull("github", "https://github.com/org/Web", "org/Web", ""), true},
		"github other":        {"another repository", "pullRequest: {github: {owner: org, repo: web}}", pull("github", "https://github.com/org/db", "org/db", ""), false},
		"github enterprise":   {"its API is on the same host", "pullRequest: {github: {owner: org, repo: web, api: 'https://git.corp/api/v3/'}}", pull("github", "https://git.corp/org/web", "org/web", ""), true},
		"github other server": {"the same name elsewhere", "pullRequest: {github: {owner: org, repo: web, api: 'https://git.corp/api/v3/'}}", pull("github", "https://github.com/org/web", "org/web", ""), false},
		"github api":          {"the API's own name", "pullRequest: {github: {owner: org, repo: web, api: 'https://api.github.com/'}}", pull("github", "https://github.com/org/web", "org/web", ""), true},
		"push":                {"changes no pull request", "pullRequest: {github: {owner: org, repo: web}}", repo("github", "", "org/web"), false},
		"gitlab number":       {"projects have numbers", "pullRequest: {gitlab: {project: '12'}}", pull("gitlab", "https://gitlab.com/a/b", "a/b", "12"), true},
		"gitlab path":         {"or paths", "pullRequest: {gitlab: {project: a/b, api: 'https://gl.corp/'}}", pull("gitlab", "https://gl.corp/a/b", "a/b", "12"), true},
		"gitlab other":        {"another host", "pullRequest: {gitlab: {project: a/b}}", pull("gitlab", "https://gl.corp/a/b", "a/b", "12"), false},
		"gitea":               {"by address", "pullRequest: {gitea: {owner: a, repo: b, api: 'https://gt.corp'}}", pull("gitea", "https://gt.corp/a/b", "a/b", ""), true},
		"bitbucket":           {"there is one", "pullRequest: {bitbucket: {owner: a, repo: b, api: 'https://api.bitbucket.org/2.0'}}", pull("bitbucket", "https://bitbucket.org/a/b", "a/b", ""), true},
		"bitbucket server":    {"it may not tell its address", "pullRequest: {bitbucketServer: {project: PRJ, repo: b, api: 'https://bb.corp/rest'}}", pull("bitbucketserver", "", "prj/b", ""), true},
		"azure":               {"by project and repository", "pullRequest: {azuredevops: {organization: o, project: p, repo: r}}", pull("azuredevops", "https://dev.azure.com/o/p/_git/r", "p/r", ""), true},
		"scm":                 {"a push in the organisation", "scmProvider: {github: {organization: Org}}", repo("github", "https://github.com/org/x", "org/x"), true},
		"scm pull":            {"a pull request is no new branch yet", "scmProvider: {github: {organization: org}}", pull("github", "https://github.com/org/x", "org/x", ""), false},
		"scm other":           {"a name that starts alike", "scmProvider: {github: {organization: org}}", repo("github", "https://github.com/organic/x", "organic/x"), false},
		"scm group":           {"subgroups too", "scmProvider: {gitlab: {group: a, includeSharedProjects: false}}", repo("gitlab", "", "a/b/c"), true},
		"scm shared":          {"shared projects are elsewhere", "scmProvider: {gitlab: {group: a}}", repo("gitlab", "", "x/c"), true},
		"scm other group":     {"unless they are left out", "scmProvider: {gitlab: {group: a, includeSharedProjects: false}}", repo("gitlab", "", "x/c"), false},
		"scm number":          {"a group that is a number may be any", "scmProvider: {gitlab: {group: '12', includeSharedProjects: false}}", repo("gitlab", "https://gitlab.com/x/c", "x/c"), true},
		"scm other gitlab":    {"but the server is known", "scmProvider: {gitlab: {group: '12', includeSharedProjects: false}}", repo("gitlab", "https://gl.corp/x/c", "x/c"), false},
		"scm gitea":           {"of an owner there", "scmProvider: {gitea: {owner: a, api: 'https://gt.corp'}}", repo("gitea", "https://gt.corp/a/b", "A/b"), true},
		"scm other gitea":     {"of one elsewhere", "scmProvider: {gitea: {owner: a, api: 'https://gt.corp'}}", repo("gitea", "https://gitea.com/a/b", "a/b"), false},
		"scm bitbucket":       {"there is one", "scmProvider: {bitbucket: {owner: a}}", repo("bitbucket", "https://bitbucket.org/a/b", "a/b"), true},
		"scm server":          {"of a project there", "scmProvider: {bitbucketServer: {project: PRJ, api: 'https://bb.corp/rest'}}", repo("bitbucketserver", "https://bb.corp/prj/b", "prj/b"), true},
		"scm other server":    {"of another project", "scmProvider: {bitbucketServer: {project: PRJ, api: 'https://bb.corp/rest'}}", repo("bitbucketserver", "", "other/b"), false},
		"scm azure":           {"of a project", "scmProvider: {azureDevOps: {organization: o, teamProject: p}}", repo("azuredevops", "https://dev.azure.com/o/p/_git/r", "p/r"), true},
		"scm other azure":     {"of another project", "scmProvider: {azureDevOps: {organization: o, teamProject: p}}", repo("azuredevops", "https://dev.azure.com/o/q/_git/r", "q/r"), false},
		"scm owner alone":     {"an owner is no repository of itself", "scmProvider: {github: {organization: org}}", repo("github", "", "org"), false},
		"scm host":            {"a host of another kind, whatever its names", "scmProvider: {github: {organization: a}}", repo("gitea", "", "a/b"), false},
		"scm unknown":         {"a host of no kind that is known", "scmProvider: {github: {organization: a}}", repo("forge", "", "a/b"), false},
		"unknown":             {"nor are its pull requests", "pullRequest: {github: {owner: a, repo: b}}", pull("forge", "", "a/b", ""), false},
		"address":             {"an address that is none tells nothing", "pullRequest: {github: {owner: a, repo: b}}", pull("github", "://", "a/b", ""), true},
		"plugin":              {"a plugin may depend on anything", "plugin: {}", repo("github", "", "x/c"), true},
		"owner to come":       {"a parameter may be any", "pullRequest: {github: {owner: '{{owner}}', repo: web}}", pull("github", "https://github.com/org/db", "org/db", ""), true},
		"group to come":       {"a parameter may be any", "scmProvider: {github: {organization: 'team-{{name}}'}}", repo("github", "https://github.com/org/db", "org/db"), true},
		"server to come":      {"a parameter may be any", "pullRequest: {gitea: {owner: a, repo: b, api: '{{.api}}'}}", pull("gitea", "https://gt.corp/a/b", "a/b", ""), true},
		"name to come":        {"but the server is known", "pullRequest: {github: {owner: '{{owner}}', repo: web}}", pull("github", "https://git.corp/org/web", "org/web", ""), false},
		"clusters":            {"others ask no host", "clusters: {}", repo("github", "", "x/c"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, within := range []string{"%s", "matrix: {generators: [{list: {}}, {%s}]}", "merge: {generators: [{matrix: {generators: [{%s}, {git: {}}]}}, {list: {}}]}"} {
				var set v1alpha1.ApplicationSet
				if err := yaml.UnmarshalStrict(fmt.Appendf(nil, "spec: {generators: [{"+within+"}]}", c.generator), &set); err != nil {
					t.Fatal(err)
				}
				if got := Asking(&set).Concerns(c.event); got != c.want {
					t.Errorf("%s: within %q %v", c.reason, within, got)
				}
			}
		})
	}
}
