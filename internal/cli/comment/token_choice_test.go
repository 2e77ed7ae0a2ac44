package comment

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestWhichTokenIsSent: the one that was named for comments comes first, and those of a CI job only where they are at home.
func TestWhichTokenIsSent(t *testing.T) {
	all := map[string]string{"GITHUB_TOKEN": "github", "GH_TOKEN": "gh", "GITLAB_TOKEN": "gitlab", "GITEA_TOKEN": "gitea", "FORGEJO_TOKEN": "forgejo", command.VariableToken: "key"}
	without := func(names ...string) map[string]string {
		out := map[string]string{}
		for name, value := range all {
			out[name] = value
		}
		for _, name := range names {
			out[name] = ""
		}
		return out
	}
	cases := map[string]struct {
		reason, host, want string
		env                map[string]string
		away               bool
	}{
		"github":       {reason: "the variable of its workflows", host: hostGitHub, env: all, want: "github"},
		"github's cli": {reason: "what its own command line reads", host: hostGitHub, env: without("GITHUB_TOKEN"), want: "gh"},
		"gitlab":       {reason: "not one of another host", host: hostGitLab, env: all, want: "gitlab"},
		"gitea":        {reason: "its own before the one that its runners name as GitHub's do", host: hostGitea, env: all, want: "gitea"},
		"forgejo":      {reason: "it has a name of its own", host: hostGitea, env: without("GITEA_TOKEN"), want: "forgejo"},
		"runner":       {reason: "its runner sets GitHub's variable, too", host: hostGitea, env: without("GITEA_TOKEN", "FORGEJO_TOKEN"), want: "github"},
		"nothing":      {reason: "the key of a server of ours is none", host: hostGitLab, env: without("GITLAB_TOKEN")},
		"away":         {reason: "none that is named for the host leaves it", host: hostGitHub, env: all, away: true},
		"meant":        {reason: "one that is named for comments goes where they go", host: hostGitHub, env: map[string]string{"GITHUB_TOKEN": "github", variableCommentToken: "meant"}, away: true, want: "meant"},
		"meant, home":  {reason: "also where the host has one", host: hostGitHub, env: map[string]string{"GITHUB_TOKEN": "github", variableCommentToken: "meant"}, want: "meant"},
	}
	for name, c := range cases {
		got, err := flagsOf(c.env).token(c.host, !c.away)
		if got.Reveal() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s: got %q, want %q: %v", name, c.reason, got.Reveal(), c.want, err)
		}
	}
	flags := flagsOf(map[string]string{variableCommentToken: "meant"})
	flags.tokenFile = file(t, "token", "\n of-the-file\r\n")
	if got, err := flags.token(hostGitHub, true); err != nil || got.Reveal() != "of-the-file" {
		t.Errorf("a file that is named comes before all variables: %q, %v", got.Reveal(), err)
	}
}

// TestWhatIsNoToken is told by where it stands, without a sign of what it is.
func TestWhatIsNoToken(t *testing.T) {
	for _, content := range []string{"", " \n\t", "first-secret\nsecond-secret", "first-secret second-secret", "first-secret\x00", "first-secrét", "first-secret\u00a0x", "first-secret\x1b[2K"} {
		got, err := oneToken("$NAME", content)
		if err == nil || got.Reveal() != "" || !strings.Contains(err.Error(), "cannot comment: $NAME ") || strings.Contains(err.Error(), "secr") {
			t.Errorf("%q: %q, %v", content, got.Reveal(), err)
		}
	}
}

// TestPipesAreRead to the end, but no further than any host takes.
func TestPipesAreRead(t *testing.T) {
	job(t, "", nil)
	for text, want := range map[string]string{
		"": "standard input is empty", "\xff": "standard input is no text in UTF-8", strings.Repeat("x", longestText+1): "standard input has more than 4 MiB",
	} {
		t.Setenv(variableCommentToken, "x")
		err := piped(t, text, "--host", hostGitea, "--repo", "a/b", "--pull", "7", "--api", "http://127.0.0.1:1")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %q", len(text), err, want)
		}
	}
}
