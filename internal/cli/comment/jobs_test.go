package comment

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// variables are those that tell of a CI job; a test begins without them.
var variables = []string{
	"GITHUB_ACTIONS", "GITHUB_REPOSITORY", "GITHUB_REF", "GITHUB_EVENT_PATH", "GITHUB_API_URL", "GITHUB_SERVER_URL", "GITHUB_TOKEN", "GH_TOKEN",
	"GITLAB_CI", "CI_PROJECT_PATH", "CI_PROJECT_ID", "CI_MERGE_REQUEST_IID", "CI_MERGE_REQUEST_PROJECT_PATH",
	"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH", "CI_API_V4_URL", "GITLAB_TOKEN", "GITEA_ACTIONS", "FORGEJO_ACTIONS", "GITEA_TOKEN",
	"FORGEJO_TOKEN", command.VariableToken, "CAUSEWAY_COMMENT_TOKEN",
}

// jobs are what the runners of hosts set for the pull request 7 of acme/fleet.
var jobs = map[string]map[string]string{
	"github": {
		"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_API_URL": "$API",
		"GITHUB_TOKEN": hosttest.Token,
	},
	"gitlab": {
		"GITLAB_CI": "true", "CI_PROJECT_PATH": "acme/fleet", "CI_MERGE_REQUEST_IID": "7", "CI_API_V4_URL": "$API/api/v4",
		"CAUSEWAY_COMMENT_TOKEN": hosttest.Token,
	},
	"gitea": {
		"GITEA_ACTIONS": "true", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_REF": "refs/pull/7/head",
		"GITHUB_API_URL": "$API/api/v1", "GITHUB_TOKEN": hosttest.Token,
	},
}

// tokensOfCI are variables that hosts' CI has its token in.
var tokensOfCI = map[string]string{"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN", "gitea": "GITEA_TOKEN"}

// job sets the variables of a CI job, and those of others on top.
func job(t *testing.T, api string, sets ...map[string]string) {
	t.Helper()
	for _, name := range variables {
		t.Setenv(name, "")
	}
	for _, set := range sets {
		for name, value := range set {
			t.Setenv(name, strings.ReplaceAll(value, "$API", api))
		}
	}
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// piped writes what comes from standard input.
func piped(t *testing.T, text string, args ...string) error {
	t.Helper()
	cmd := New(&command.Global{Streams: command.Streams{In: strings.NewReader(text), Out: io.Discard, Err: io.Discard}})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"--file", "-"}, args...))
	return cmd.ExecuteContext(t.Context())
}

func TestCommentInJobs(t *testing.T) {
	for host, start := range talks {
		t.Run(host, func(t *testing.T) {
			k := start(t)
			job(t, k.URL, jobs[host])
			for _, text := range []string{"one", "two"} {
				got := clitest.Run(t, New, "--file", file(t, "preview.md", text))
				if got.Code != command.ExitFine || !strings.HasPrefix(got.Out, "https://") {
					t.Fatalf("%s: code %d, output %q, errors %q", text, got.Code, got.Out, got.Errors)
				}
			}
			if got := clitest.Run(t, New, "--name", "lint", "--file", file(t, "lint.md", "three")); got.Code != command.ExitFine {
				t.Fatalf("another name: %q", got.Errors)
			}
			want := []string{"looks good", "<!-- causeway:preview:preview -->\ntwo", "<!-- causeway:preview:lint -->\nthree"}
			if diff := cmp.Diff(want, k.all()); diff != "" {
				t.Errorf("two runs are one comment, and each name has its own (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommentByFlags(t *testing.T) {
	for host, start := range talks {
		t.Run(host, func(t *testing.T) {
			k := start(t)
			// A job of another host: none of what it says may count, its token least of all.
			job(t, k.URL, map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/other", "GITHUB_REF": "refs/pull/1/merge", "GITHUB_TOKEN": "another"})
			token := file(t, "token", hosttest.Token+"\n")
			err := piped(t, "from a pipe", "--host", host, "--api", k.URL, "--repo", "acme/fleet", "--pull", "7", "--token-file", token)
			if err != nil || len(k.all()) != 2 || !strings.HasSuffix(k.all()[1], "\nfrom a pipe") {
				t.Errorf("comments %q: %v", k.all(), err)
			}
		})
	}
}

// TestTokensStayAtHome tells that a job's token goes to no other server.
func TestTokensStayAtHome(t *testing.T) {
	for host, start := range talks {
		t.Run(host, func(t *testing.T) {
			home, other := start(t), start(t)
			token := map[string]string{"CAUSEWAY_COMMENT_TOKEN": "", tokensOfCI[host]: hosttest.Token}
			job(t, home.URL, jobs[host], token)
			args := []string{"--file", file(t, "preview.md", "text"), "--api"}
			if got := clitest.Run(t, New, append(args, home.URL+"/")...); got.Code != command.ExitFine {
				t.Errorf("the address in another form: %q", got.Errors)
			}
			got := clitest.Run(t, New, append(args, other.URL)...)
			if got.Code != command.ExitFailed || !strings.Contains(got.Errors, "CAUSEWAY_COMMENT_TOKEN") || len(other.Asked()) != 0 {
				t.Errorf("another address: code %d, %q, asked %q", got.Code, got.Errors, other.Asked())
			}
			job(t, home.URL, token)
			got = clitest.Run(t, New, append(args, home.URL, "--host", host, "--repo", "acme/fleet", "--pull", "7")...)
			if got.Code != command.ExitFailed || !strings.Contains(got.Errors, "CAUSEWAY_COMMENT_TOKEN") {
				t.Errorf("outside of jobs: code %d, %q", got.Code, got.Errors)
			}
			t.Setenv("CAUSEWAY_COMMENT_TOKEN", hosttest.Token)
			if got = clitest.Run(t, New, append(args, other.URL, "--host", host, "--repo", "acme/fleet", "--pull", "7")...); got.Code != command.ExitFine {
				t.Errorf("a token that was named for it: %q", got.Errors)
			}
		})
	}
	if got := clitest.Run(t, New, "--file", file(t, "preview.md", "text"), "--host", "gitlab", "--repo", "a/b", "--pull", "7", "--token-file", file(t, "token", strings.Repeat("x", 64<<10+1))); !strings.Contains(got.Errors, "64 KiB") {
		t.Errorf("a large file for a token: %q", got.Errors)
	}
}

// TestKeysOfServersGoToNoHost: a job may have the key of a server of ours as well.
func TestKeysOfServersGoToNoHost(t *testing.T) {
	const key = "causeway_0123456789abcdef_secret"
	for host, start := range talks {
		t.Run(host, func(t *testing.T) {
			k := start(t)
			args := []string{"--file", file(t, "preview.md", "text")}
			job(t, k.URL, jobs[host], map[string]string{command.VariableToken: key})
			if got := clitest.Run(t, New, args...); got.Code != command.ExitFine {
				t.Errorf("beside the host's: code %d, %q", got.Code, got.Errors)
			}
			asked := len(k.Asked())
			job(t, k.URL, jobs[host], map[string]string{command.VariableToken: key, "GITHUB_TOKEN": "", "CAUSEWAY_COMMENT_TOKEN": ""})
			if got := clitest.Run(t, New, args...); got.Code != command.ExitFailed || !strings.Contains(got.Errors, "without a token") || len(k.Asked()) != asked {
				t.Errorf("alone: code %d, %q, asked %q", got.Code, got.Errors, k.Asked()[asked:])
			}
		})
	}
}

func TestCommentFails(t *testing.T) {
	fork := `{"pull_request": {"number": 7, "head": {"repo": {"full_name": "somebody/fleet"}}}}`
	denied := hosttest.Answer(http.StatusForbidden, `{"message":"Resource not accessible by integration"}`)
	none := hosttest.Answer(http.StatusOK, "[]", "Content-Type", "application/json")
	tests := map[string]struct {
		reason string
		host   string
		env    map[string]string
		text   string
		faults []http.HandlerFunc
		want   []string
	}{
		"WrongToken":   {reason: "the token is at fault", host: "github", env: map[string]string{"GITHUB_TOKEN": "expired-token"}, want: []string{"401", "check the token"}},
		"NoToken":      {reason: "it says where one comes from", host: "github", env: map[string]string{"GITHUB_TOKEN": ""}, want: []string{"without a token", "github.token"}},
		"NoTokenLab":   {reason: "the job's own token does not do", host: "gitlab", env: map[string]string{"CAUSEWAY_COMMENT_TOKEN": ""}, want: []string{"CAUSEWAY_COMMENT_TOKEN", "not protected", "CI_JOB_TOKEN may not"}},
		"TwoTokens":    {reason: "more than a token", host: "github", env: map[string]string{"CAUSEWAY_COMMENT_TOKEN": "expired-token\nsecond"}, want: []string{"$CAUSEWAY_COMMENT_TOKEN holds no token"}},
		"Permission":   {reason: "the workflow lacks a right", host: "github", faults: []http.HandlerFunc{none, denied}, want: []string{"not accessible", "pull-requests: write"}},
		"Fork":         {reason: "no right helps there", host: "github", env: map[string]string{"GITHUB_EVENT_PATH": fork}, faults: []http.HandlerFunc{none, denied}, want: []string{"comes from a fork", "summary"}},
		"PermissionLa": {reason: "the role is named", host: "gitlab", faults: []http.HandlerFunc{denied}, want: []string{"scope api", "Reporter"}},
		"PermissionTe": {reason: "the right is named", host: "gitea", faults: []http.HandlerFunc{denied}, want: []string{"may write"}},
		"NotThere":     {reason: "a number that is wrong", host: "github", env: map[string]string{"GITHUB_REF": "refs/pull/8/merge"}, want: []string{"404", "pull request 8"}},
		"TooLong":      {reason: "the limit is told", host: "github", text: strings.Repeat("x", 65536), want: []string{"65536", "shorter"}},
		"Endless":      {reason: "what no host takes is not sent", host: "gitea", text: strings.Repeat("x", 4<<20+1), want: []string{"4 MiB", "--max-bytes"}},
		"Empty":        {reason: "an empty comment is a mistake of the step before", host: "github", text: " \n", want: []string{"is empty"}},
		"Binary":       {reason: "a file of another kind", host: "github", text: "\xff\xfe", want: []string{"UTF-8"}},
		"Outage":       {reason: "the comments cannot be read, so none is written", host: "github", faults: []http.HandlerFunc{hosttest.Answer(500, "")}, want: []string{"500", "again later"}},
		"OutageWrite":  {reason: "a new comment is not sent twice", host: "github", faults: []http.HandlerFunc{none, hosttest.Answer(502, "")}, want: []string{"502", "again later"}},
		"Page":         {reason: "a server of another kind", host: "gitea", faults: []http.HandlerFunc{hosttest.Answer(200, "<html>")}, want: []string{"--api"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			k := talks[tc.host](t)
			job(t, k.URL, jobs[tc.host], tc.env)
			if e := tc.env["GITHUB_EVENT_PATH"]; e != "" {
				t.Setenv("GITHUB_EVENT_PATH", file(t, "event.json", e))
			}
			if tc.text == "" {
				tc.text = "text"
			}
			k.Fail(tc.faults...)
			got := clitest.Run(t, New, "--file", file(t, "preview.md", tc.text))
			if got.Code != command.ExitFailed || len(k.all()) != 1 {
				t.Errorf("%s: code %d, comments %q", tc.reason, got.Code, k.all())
			}
			for _, part := range tc.want {
				if !strings.Contains(got.Errors, part) {
					t.Errorf("%s: %q is not in %q", tc.reason, part, got.Errors)
				}
			}
			for _, secret := range []string{hosttest.Token, "expired-token"} {
				if strings.Contains(got.Out+got.Errors, secret) {
					t.Errorf("%s: the token shows: %q", tc.reason, got.Errors)
				}
			}
		})
	}
}

func TestCommentWhereThereIsNone(t *testing.T) {
	tests := map[string]struct {
		reason string
		env    map[string]string
		args   []string
		code   int
		want   string
	}{
		"Push":       {reason: "a job for a branch", env: map[string]string{"GITHUB_REF": "refs/heads/main"}, code: command.ExitFailed, want: "--pull"},
		"PushOK":     {reason: "as one may want it", env: map[string]string{"GITHUB_REF": "refs/heads/main"}, args: []string{"--if-pull-request"}, want: "no comment: this job does not run for a pull request"},
		"NoJob":      {reason: "on a person's machine", env: map[string]string{"GITHUB_ACTIONS": ""}, code: command.ExitFailed, want: "no CI job"},
		"NoJobOK":    {reason: "the same script there", env: map[string]string{"GITHUB_ACTIONS": ""}, args: []string{"--if-pull-request"}, want: "no CI job"},
		"HalfFlags":  {reason: "a repository alone", env: map[string]string{"GITHUB_ACTIONS": ""}, args: []string{"--repo", "a/b", "--if-pull-request"}, code: command.ExitUsage, want: "--host"},
		"OtherHost":  {reason: "the number of another host does not count", args: []string{"--host", "gitlab", "--repo", "a/b"}, code: command.ExitFailed, want: "--pull"},
		"OtherRepo":  {reason: "nor that of another repository", args: []string{"--repo", "a/b"}, code: command.ExitFailed, want: "--pull"},
		"NoRepo":     {reason: "the repository is asked for", args: []string{"--host", "gitlab"}, code: command.ExitUsage, want: "--repo"},
		"NoAPI":      {reason: "Gitea is nowhere in particular", args: []string{"--host", "gitea", "--repo", "a/b", "--pull", "1"}, code: command.ExitUsage, want: "--api"},
		"Host":       {reason: "a host that is near", args: []string{"--host", "gtihub"}, code: command.ExitUsage, want: `did you mean "github"`},
		"Repo":       {reason: "the form is told", args: []string{"--repo", "fleet", "--pull", "1"}, code: command.ExitUsage, want: "owner/name"},
		"Pull":       {reason: "a number below one", args: []string{"--pull", "-1"}, code: command.ExitUsage, want: "--pull -1"},
		"Name":       {reason: "a name cannot end the mark", args: []string{"--name", "a -->"}, code: command.ExitUsage, want: "--name"},
		"NoFile":     {reason: "there has to be a text", args: []string{"--file", ""}, code: command.ExitUsage, want: "standard input"},
		"LostFile":   {reason: "the file is named", args: []string{"--file", "/nope"}, code: command.ExitFailed, want: "/nope"},
		"LostToken":  {reason: "so is the token's", args: []string{"--token-file", "/nope"}, code: command.ExitFailed, want: "/nope"},
		"BadAddress": {reason: "an address that is none", args: []string{"--api", "git.example.com"}, code: command.ExitFailed, want: "address"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			job(t, "http://127.0.0.1:1", jobs["github"], tc.env)
			got := clitest.Run(t, New, append([]string{"--file", file(t, "preview.md", "text")}, tc.args...)...)
			if got.Code != tc.code || !strings.Contains(got.Errors, tc.want) || got.Out != "" {
				t.Errorf("%s: code %d, not %d; output %q, errors %q", tc.reason, got.Code, tc.code, got.Out, got.Errors)
			}
		})
	}
}
