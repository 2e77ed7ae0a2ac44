package record

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// changesFlags pick commits, as the page Changes does.
type changesFlags struct {
	auditFlags

	query  history.CommitQuery
	state  string
	output string
}

// NewChanges returns the command changes.
func NewChanges(g *command.Global) *cobra.Command {
	c := &changesFlags{auditFlags: auditFlags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use: "changes", Short: "List commits and how far they have come", Args: command.None,
		Long: "List the commits that changed applications, the newest first: on how many of them each is fetched, rendered,\n" +
			"planned, applied and healthy, and the first on which it failed. They are in the history: in the file of a local\n" +
			"fleet, or where --store or --history-file say. With --server, the API of an engine elsewhere answers.",
		Example: "  causeway changes\n  causeway changes --state failed --cluster prod-eu\n  causeway changes --search 'raise memory' -o yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.named(cmd.Flags()); err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	f, q := cmd.Flags(), &c.query
	c.register(f)
	f.StringVar(&q.Text, "search", "", "only commits with all of these words in the subject, author, revision, address or an application's name")
	f.StringVar(&q.Repo, "repo", "", "only commits of a repository, as addresses of the page name it")
	f.StringVar(&q.Project, "project", "", "only commits on applications of a project")
	f.StringVar(&q.Cluster, "cluster", "", "only commits on applications of a cluster")
	f.StringVar(&c.state, "state", "", "only commits that are failed, waiting, running, applied, healthy or superseded on an application")
	f.IntVar(&q.Limit, "limit", 25, "how many commits to list")
	f.StringVarP(&c.output, "output", "o", c.output, "how to print: table, wide, json, yaml")
	return cmd
}

// mostCommits bounds a list.
const mostCommits = 1000

// commitStates are those that --state takes.
var commitStates = []string{"failed", "waiting", "running", "applied", "healthy", "superseded"}

func (c *changesFlags) run(ctx context.Context) error {
	if err := table.CheckOutput(c.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	if c.state != "" && !slices.Contains(commitStates, c.state) {
		return command.Usagef("cannot filter by the state %q; choose one of %s", c.state, strings.Join(commitStates, ", "))
	}
	c.query.State, c.query.Limit = history.State(c.state), min(max(c.query.Limit, 1), mostCommits)
	list, err := c.commits(ctx)
	if err != nil {
		return err
	}
	if !table.Tabular(c.output) {
		return table.PrintValue(c.Out, c.output, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.Err, "the history has no such commit")
		return err
	}
	return table.Print(c.Global, commitsTable(list, c.output, time.Now()), c.output)
}

// stages are those of a commit; the last two change a cluster.
var stages = []history.Stage{history.Fetched, history.Rendered, history.Planned, history.Applied, history.Healthy}

// commitsTable counts the applications that a commit has come to. Stages before
// those that change a cluster are for wide: a commit stays there when it fails.
func commitsTable(all []api.Commit, output string, now time.Time) table.Table {
	t, shown := table.Table{Keys: 1, Header: []string{"COMMIT", "WHEN", "STATE", "APPS", "APPLIED", "HEALTHY", "AUTHOR", "SUBJECT"}}, stages[3:]
	if output == table.AsWide {
		t, shown = table.Table{Keys: 1, Header: []string{"COMMIT", "WHEN", "STATE", "APPS", "FETCHED", "RENDERED", "PLANNED", "APPLIED", "HEALTHY", "AUTHOR", "SUBJECT"}}, stages
	}
	for i := range all {
		t.Rows = append(t.Rows, commitRow(&all[i], shown, now))
	}
	return t
}

// commits reads them: of a server, or of the history itself.
func (c *changesFlags) commits(ctx context.Context) ([]api.Commit, error) {
	if c.served() {
		h, err := target.Reach(c.Global)
		if err != nil {
			return nil, err
		}
		list, err := h.Server.Changes(ctx, client.CommitQuery{Text: c.query.Text, Repo: c.query.Repo, Project: c.query.Project, Cluster: c.query.Cluster, State: c.state, Limit: c.query.Limit})
		return list, h.Explain(err)
	}
	kept, err := c.opened()
	if err != nil {
		return nil, err
	}
	defer func() { _ = kept.Close() }()
	found, err := kept.Commits(ctx, c.query)
	if err != nil {
		return nil, err
	}
	out := make([]api.Commit, 0, len(found))
	for i := range found {
		if one, some := api.CommitOf(&found[i]); some {
			out = append(out, one)
		}
	}
	return out, nil
}

// commitRow tells of a commit, with some of its stages. A server of another version may
// know other ones.
func commitRow(c *api.Commit, shown []history.Stage, now time.Time) []string {
	row := []string{gitops.ShortRevision(c.Revision), table.Age(c.At, now), c.State, strconv.Itoa(c.Applications)}
	for _, stage := range shown {
		done := "-"
		if i := slices.IndexFunc(c.Stages, func(s api.CommitStage) bool { return s.Stage == string(stage) }); i >= 0 {
			done = strconv.Itoa(c.Stages[i].Done)
		}
		row = append(row, done)
	}
	subject := c.Subject
	if f := c.Failing; f != nil {
		subject = strings.TrimSpace(subject + " (" + f.Name + ": " + cmp.Or(f.Message, "failed") + ")")
	}
	return append(row, table.Dash(c.Author), screen.Words(subject))
}
