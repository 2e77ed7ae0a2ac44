package comment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/host/markedcomment"
)

type commentFlags struct {
	*command.Global

	file      string
	name      string
	host      string
	repo      string
	pull      int
	api       string
	tokenFile string
	onlyPull  bool
	getenv    func(string) string
}

// New returns the command comment.
func New(g *command.Global) *cobra.Command {
	c := &commentFlags{Global: g, name: "preview", getenv: os.Getenv}
	cmd := &cobra.Command{
		Use:   "comment",
		Short: "Write one comment on a pull request, and keep it up to date",
		Long: "Write Markdown as a comment on a pull request of GitHub, Gitea or Forgejo, or a merge request of GitLab. The next\n" +
			"run replaces the text of that comment: a hidden line with the name marks it. In a job of the host's own CI\n" +
			"the pull request is known. The token comes from --token-file, CAUSEWAY_COMMENT_TOKEN, or what the host's CI calls\n" +
			"it: GITHUB_TOKEN, GITLAB_TOKEN, GITEA_TOKEN, FORGEJO_TOKEN. It is never printed. CAUSEWAY_TOKEN, which --server\n" +
			"takes, is sent to no host of pull requests.\n" +
			"\n" +
			"The text is written as it is, and the change may have a say in it: preview -o markdown quotes what comes from there. What\n" +
			"other commands print is no Markdown, and belongs in a block of code that it cannot end.",
		// The change may have a link of the file's name.
		Example: "  rm -f preview.md\n  causeway preview -o markdown > preview.md\n  causeway comment --file preview.md\n" +
			"  causeway preview -o markdown | causeway comment --file - --host gitlab --repo acme/fleet --pull 7 --token-file ~/token",
		Args: command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Without its value another address would be asked, and another token sent.
			if err := command.Emptied(cmd.Flags(), "host", "repo", "api", "token-file"); err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.file, "file", "", "file with the text in Markdown; - is standard input")
	f.StringVar(&c.name, "name", c.name, "name of the comment: each name is one comment of a pull request")
	f.StringVar(&c.host, "host", "", "host of the pull request: github, gitlab or gitea (default: that of the CI job)")
	f.StringVar(&c.repo, "repo", "", "repository of the pull request, as owner/name; of GitLab the project's path or number (default: that of the CI job)")
	f.IntVar(&c.pull, "pull", 0, "number of the pull request (default: that of the CI job)")
	f.StringVar(&c.api, "api", "", "address of the host's API, as in https://git.example.com/api/v1 (default: that of the CI job, else the public host)")
	f.StringVar(&c.tokenFile, "token-file", "", "file with the token to sign in with")
	f.BoolVar(&c.onlyPull, "if-pull-request", false, "where there is no pull request, say so and succeed")
	return cmd
}

// commentName keeps a name within one line of the hidden mark.
var commentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

func (c *commentFlags) run(ctx context.Context) error {
	if c.file == "" {
		return command.Usagef("name the text: --file preview.md, or --file - for standard input")
	}
	if !commentName.MatchString(c.name) {
		return command.Usagef("cannot use --name %q: a name has up to 63 letters, digits, dots, dashes and underscores", c.name)
	}
	to, err := c.thread()
	if err != nil {
		if none := (noPullRequest{}); c.onlyPull && errors.As(err, &none) {
			_, err = fmt.Fprintf(c.Err, "no comment: %s\n", none.why)
		}
		return err
	}
	text, err := c.text()
	if err != nil {
		return err
	}
	at, err := to.write(ctx, markedcomment.Marker(c.name), text)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, at)
	return err
}
