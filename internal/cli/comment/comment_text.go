package comment

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// No host takes a comment of this size, in bytes.
const longestText = 4 << 20

// text reads what the comment says.
func (c *commentFlags) text() (string, error) {
	name := c.file
	if name == "-" {
		name = "standard input"
	}
	content, err := c.read()
	long := (*bounded.TooLong)(nil)
	switch {
	case errors.As(err, &long) || len(content) > longestText:
		return "", fmt.Errorf("cannot comment: %s has more than %d MiB, and no host takes that; see --max-bytes of `causeway preview`", name, longestText>>20)
	case err != nil:
		return "", fmt.Errorf("cannot read the text of the comment from %s: %w", name, err)
	case !utf8.Valid(content):
		return "", fmt.Errorf("cannot comment: %s is no text in UTF-8", name)
	case strings.TrimSpace(string(content)) == "":
		return "", fmt.Errorf("cannot comment: %s is empty", name)
	}
	return string(content), nil
}

// read reads the file. What it says is told to everybody who sees the pull request,
// whose author may have put a link there.
func (c *commentFlags) read() ([]byte, error) {
	if c.file == "-" {
		return io.ReadAll(io.LimitReader(c.In, longestText+1))
	}
	return command.ReadNamed(c.file, longestText)
}

// variableCommentToken has a token for whichever host is commented on. It is not the
// one of a server of ours, which a job may have as well and no host is to see.
const variableCommentToken = "CAUSEWAY_COMMENT_TOKEN"

// token is what signs in at a host. Tokens that a host or its CI name are for
// that host alone, and not offered unless the address is known to be its own:
// another server must not see them.
func (c *commentFlags) token(host string, own bool) (access.Secret, error) {
	if c.tokenFile != "" {
		content, err := command.ReadNamed(c.tokenFile, longestToken)
		if err != nil {
			return "", fmt.Errorf("cannot read the token of --token-file: %w", err)
		}
		return oneToken("the file of --token-file", string(content))
	}
	names := []string{variableCommentToken}
	if own {
		names = append(names, tokenNames[host]...)
	}
	for _, name := range names {
		if value := c.getenv(name); value != "" {
			return oneToken("$"+name, value)
		}
	}
	if !own {
		return "", errors.New("cannot comment without a token; set " + variableCommentToken + " or name a file with --token-file: the tokens of a CI job go to the address of its own API alone")
	}
	return "", fmt.Errorf("cannot comment without a token; %s", needToken[host])
}

// tokenNames are the variables that each host's CI has its token in; the
// runners of Gitea and Forgejo set GitHub's, too.
var tokenNames = map[string][]string{
	hostGitHub: {"GITHUB_TOKEN", "GH_TOKEN"},
	hostGitLab: {"GITLAB_TOKEN"},
	hostGitea:  {"GITEA_TOKEN", "FORGEJO_TOKEN", "GITHUB_TOKEN"},
}

// longestToken bounds a file with a token, in bytes.
const longestToken = 64 << 10

// needToken says for each host where a token comes from.
var needToken = map[string]string{
	hostGitHub: "set GITHUB_TOKEN: in a workflow, `env: {GITHUB_TOKEN: \"${{ github.token }}\"}` on the step",
	hostGitLab: "set the CI variable " + variableCommentToken + ", masked and not protected, to a project access token with the scope api; CI_JOB_TOKEN may not comment",
	hostGitea:  "set GITEA_TOKEN: in a workflow, `env: {GITEA_TOKEN: \"${{ github.token }}\"}` on the step",
}

// oneToken takes a token without the space around it. What is left has to fit
// into a header.
func oneToken(from, content string) (access.Secret, error) {
	token := strings.TrimSpace(content)
	if token == "" {
		return "", fmt.Errorf("cannot comment: %s is empty", from)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("cannot comment: %s holds no token, but spaces, lines or other characters", from)
	}
	return access.Secret(token), nil
}
