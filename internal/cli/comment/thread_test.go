package comment

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// flagsOf are flags with a job that runs somewhere; nothing else is known of the place.
func flagsOf(env map[string]string) *commentFlags {
	return &commentFlags{Global: &command.Global{}, getenv: func(name string) string { return env[name] }}
}

// TestFlagsComeBeforeTheJob: what a job says of another pull request is left out, and its branch with it.
func TestFlagsComeBeforeTheJob(t *testing.T) {
	event := file(t, "event.json", `{"pull_request": {"number": 7, "head": {"repo": {"full_name": "somebody/fleet"}}}}`)
	env := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_API_URL": "https://api.github.com", "GITHUB_EVENT_PATH": event, variableCommentToken: "x",
	}
	cases := map[string]struct {
		reason string
		flags  commentFlags
		want   string
	}{
		"job":         {"nothing is said", commentFlags{}, "github acme/fleet 7 fork https://api.github.com"},
		"same":        {"what is said is what the job says", commentFlags{host: hostGitHub, repo: "acme/fleet", pull: 7}, "github acme/fleet 7 fork https://api.github.com"},
		"same repo":   {"hosts tell no capitals from others", commentFlags{repo: "Acme/Fleet"}, "github acme/fleet 7 fork https://api.github.com"},
		"other pull":  {"its branch may be anybody's", commentFlags{pull: 8}, "github acme/fleet 8 own https://api.github.com"},
		"other repo":  {"the number alone would be another pull request", commentFlags{repo: "acme/apps", pull: 7}, "github acme/apps 7 own https://api.github.com"},
		"other host":  {"nor does the address count there", commentFlags{host: hostGitLab, repo: "acme/fleet", pull: 7}, "gitlab acme/fleet 7 own "},
		"own address": {"the host may be reached by another", commentFlags{api: "https://ghe.example.com"}, "github acme/fleet 7 fork https://ghe.example.com"},
	}
	for name, c := range cases {
		flags := flagsOf(env)
		flags.host, flags.repo, flags.pull, flags.api = c.flags.host, c.flags.repo, c.flags.pull, c.flags.api
		got, err := flags.thread()
		text := fmt.Sprintf("%s %s %d %s %s", got.host, got.repo, got.number, map[bool]string{true: "fork", false: "own"}[got.fork], got.api)
		if err != nil || text != c.want {
			t.Errorf("%s: %s: got %s, want %s: %v", name, c.reason, text, c.want, err)
		}
	}
}

// TestJobsTrustTheirOwnAddress alone, however it is written: a token that is named for a host goes nowhere else.
func TestJobsTrustTheirOwnAddress(t *testing.T) {
	const home = "https://git.example.com/api/v1"
	job := thread{host: hostGitea, api: home}
	cases := map[string]struct {
		reason string
		job    thread
		to     thread
		want   bool
	}{
		"same":             {"the address itself", job, job, true},
		"server":           {"without the way to its API", job, thread{host: hostGitea, api: "https://git.example.com/"}, true},
		"capitals":         {"names of servers have none", job, thread{host: hostGitea, api: "HTTPS://Git.Example.COM/api/v1/"}, true},
		"clear":            {"whoever listens would see it", job, thread{host: hostGitea, api: "http://git.example.com/api/v1"}, false},
		"port":             {"another server of the machine", job, thread{host: hostGitea, api: "https://git.example.com:8443/api/v1"}, false},
		"folder":           {"another server behind the name", job, thread{host: hostGitea, api: "https://git.example.com/other/api/v1"}, false},
		"longer name":      {"a name that begins so", job, thread{host: hostGitea, api: "https://git.example.com.evil.org/api/v1"}, false},
		"name of a person": {"what is before the sign is no server", job, thread{host: hostGitea, api: "https://git.example.com@evil.org/api/v1"}, false},
		"other host":       {"a server that speaks as another host does", job, thread{host: hostGitHub, api: home}, false},
		"public":           {"outside of jobs the public host has no address", thread{}, thread{host: hostGitHub}, true},
		"outside":          {"no variable says whose the token is there", thread{}, thread{host: hostGitHub, api: "https://ghe.example.com"}, false},
		"no address":       {"two that cannot be read are the same only if they are", thread{host: hostGitea, api: "://a"}, thread{host: hostGitea, api: "://b"}, false},
	}
	for name, c := range cases {
		if got := c.to.trusts(c.job); got != c.want {
			t.Errorf("%s: %s: trusted is %v", name, c.reason, got)
		}
	}
}

// TestCommentsThatNoHostHas are refused as they are written, before a token is looked for.
func TestCommentsThatNoHostHas(t *testing.T) {
	job(t, "", nil)
	const said = "--file x --pull 7 "
	clitest.Refuses(t, New, map[string]string{
		said + "--host github --repo /fleet": `cannot use the repository "/fleet": write it as owner/name`, said + "--host gitea --repo acme/": `cannot use the repository "acme/": write it as owner/name`,
		said + "--host github --repo a/b/c": "write it as owner/name", said + "--host gitlab": "name the repository", said + "--host _ --repo a/b": "--host has no value",
		said + "--host gitlab --repo _": "--repo has no value", said + "--host github --repo a/b --api _": "--api has no value", said + "--host github --repo a/b --token-file _": "--token-file has no value",
		said + "more": `cannot take the argument "more"`, said + "--name .hidden": `cannot use --name ".hidden"`, said + "--name " + strings.Repeat("n", 64): "up to 63 letters",
	})
}

// TestProjectsOfGroups: a project of GitLab may lie in groups of groups, or be known by its number.
func TestProjectsOfGroups(t *testing.T) {
	for _, repo := range []string{"acme/platform/fleet", "4711"} {
		flags := flagsOf(map[string]string{variableCommentToken: "x"})
		flags.host, flags.repo, flags.pull = hostGitLab, repo, 7
		if got, err := flags.thread(); err != nil || got.repo != repo {
			t.Errorf("%s: %+v, %v", repo, got, err)
		}
	}
}

// TestServersOfUnknownAuthorities: the job can be given the authority of a server that nobody vouches for.
func TestServersOfUnknownAuthorities(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	job(t, s.URL, map[string]string{variableCommentToken: "x"})
	got := clitest.Run(t, New, "--file", file(t, "a.md", "text"), "--host", hostGitea, "--repo", "a/b", "--pull", "7", "--api", s.URL)
	got.Says(t, "it says how", command.ExitFailed, "certificate", "SSL_CERT_FILE")
}

// TestRightsAreNamedForEachHost: what helps a fork's workflow does not help a pipeline, which runs with a token of the project.
func TestRightsAreNamedForEachHost(t *testing.T) {
	for want, of := range map[string][]thread{
		"can only read":            {{host: hostGitHub, fork: true}, {host: hostGitea, fork: true}},
		"pull-requests: write":     {{host: hostGitHub}},
		"role Reporter":            {{host: hostGitLab}, {host: hostGitLab, fork: true}},
		"issues and pull requests": {{host: hostGitea}},
		"skip the comment there":   {{host: hostGitHub, fork: true}},
	} {
		for _, at := range of {
			if got := at.mayComment(); !strings.Contains(got, want) {
				t.Errorf("%+v: %q is not in %q", at, want, got)
			}
		}
	}
}
