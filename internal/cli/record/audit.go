package record

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// auditFlags are those of all commands of the audit.
type auditFlags struct {
	*command.Global

	file  string
	store string
}

// NewAudit returns the command audit.
func NewAudit(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "See who did what, and prove that nobody changed it",
		Long: "Look into the audit: writes and denials of the API, and what the engine deleted by itself. It is beside the\n" +
			"history: in the file of a local fleet, or where --store or --history-file say. With --server, the API of an\n" +
			"engine elsewhere answers.",
		Example: "  causeway audit list --since 24h --outcome denied\n  causeway audit verify\n  causeway audit export > audit.jsonl",
		Args:    command.UnknownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditList(g), newAuditVerify(g), newAuditExport(g))
	return cmd
}

func (a *auditFlags) register(f *pflag.FlagSet) {
	f.StringVar(&a.file, "history-file", "", "history of an engine on this machine, instead of the local fleet's")
	f.StringVar(&a.store, "store", "", "where the engine keeps it: a file, or postgres://…")
}

// named refuses a history that is named by nothing: another one would be looked into.
func (a *auditFlags) named(f *pflag.FlagSet) error {
	return command.Emptied(f, "history-file", "store")
}

// auditor reads an audit.
type auditor interface {
	Audit(ctx context.Context, q store.AuditQuery) ([]audit.Entry, error)
	ExportAudit(ctx context.Context, q store.AuditQuery, line func([]byte) error) error
	VerifyAudit(ctx context.Context, expect string) (audit.Report, error)
	Close() error
}

// open finds the audit.
func (a *auditFlags) open() (auditor, error) {
	if a.served() {
		h, err := target.Reach(a.Global)
		if err != nil {
			return nil, err
		}
		return servedAudit{h}, nil
	}
	return a.opened()
}

// served reports whether a server is asked.
func (a *auditFlags) served() bool { return a.file == "" && a.store == "" && a.Server.Address != "" }

// opened is the history that the audit is beside.
func (a *auditFlags) opened() (*store.Store, error) {
	if strings.Contains(a.store, "://") {
		return store.New(store.Options{URL: a.store}) // manifests are sealed, and the audit is not
	}
	file := cmp.Or(a.store, a.file)
	if file == "" {
		h, err := target.Connect(a.Global)
		if err != nil {
			return nil, err
		}
		if h.Fleet == nil {
			return nil, command.Usagef("cannot find the history: no local fleet runs; name the engine's database with --store, its file with --history-file, or its address with --server")
		}
		file = filepath.Join(h.Home.Cache(), chronicle.File)
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("there is no history at %s: %w", file, err)
	}
	return chronicle.OpenFile(file, filepath.Join(filepath.Dir(file), chronicle.KeyFile))
}

// auditPick are the flags that pick entries.
type auditPick struct {
	query store.AuditQuery
	since time.Duration
}

func (p *auditPick) register(f *pflag.FlagSet) {
	q := &p.query
	f.StringVar(&q.Who, "who", "", "only what somebody did: a name; causeway for the engine itself")
	f.StringVar(&q.Verb, "verb", "", "only sync, rollback, refresh, terminate, delete, sign-in, prune, …")
	f.StringVar(&q.Outcome, "outcome", "", "only allowed, denied or failed")
	f.StringVar(&q.Project, "project", "", "only what is of a project")
	f.StringVar(&q.Name, "app", "", "only what is of an application, or of something else of that name")
	f.StringVar(&q.Text, "text", "", "only what has all of these words somewhere")
	f.DurationVar(&p.since, "since", 0, "only what is not older, as in 24h")
}

// outcomes are those that --outcome takes.
var outcomes = []string{string(audit.Allowed), string(audit.Denied), string(audit.Failed)}

// check refuses an outcome that there is not: that no entry has it would be taken for an answer.
func (p *auditPick) check() error {
	if one := p.query.Outcome; one != "" && !slices.Contains(outcomes, one) {
		return command.Usagef("cannot filter by the outcome %q%s: choose one of %s", one, gitops.DidYouMean(one, outcomes), strings.Join(outcomes, ", "))
	}
	return nil
}

func (p *auditPick) picked(limit int) store.AuditQuery {
	q := p.query
	q.Limit = limit
	if p.since > 0 {
		q.From = time.Now().Add(-p.since)
	}
	return q
}

type auditList struct {
	auditFlags
	auditPick

	limit  int
	output string
}

func newAuditList(g *command.Global) *cobra.Command {
	l := &auditList{auditFlags: auditFlags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use: "list", Short: "List entries, the newest first", Args: command.None,
		Example: "  causeway audit list --app shop\n  causeway audit list --who ann --since 24h -o yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(l.named(cmd.Flags()), l.check()); err != nil {
				return err
			}
			return l.run(cmd.Context())
		},
	}
	l.auditFlags.register(cmd.Flags())
	l.auditPick.register(cmd.Flags())
	cmd.Flags().IntVar(&l.limit, "limit", 50, "how many entries to list")
	cmd.Flags().StringVarP(&l.output, "output", "o", l.output, "how to print: table, wide, json, yaml")
	return cmd
}

// mostAudited bounds a list.
const mostAudited = 10_000

func (l *auditList) run(ctx context.Context) error {
	if err := table.CheckOutput(l.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	s, err := l.open()
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	list, err := s.Audit(ctx, l.picked(min(max(l.limit, 1), mostAudited)))
	if err != nil {
		return err
	}
	if !table.Tabular(l.output) {
		return table.PrintValue(l.Out, l.output, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(l.Err, "the audit has no such entry")
		return err
	}
	return table.Print(l.Global, auditTable(list, time.Now()), l.output)
}

func auditTable(all []audit.Entry, now time.Time) table.Table {
	t := table.Table{Keys: 1, Header: []string{"SEQUENCE", "WHEN", "WHO", "FROM", "VERB", "WHAT", "OUTCOME", "WHY"}}
	for i := range all {
		t.Rows = append(t.Rows, auditRow(&all[i], now))
	}
	return t
}

func auditRow(e *audit.Entry, now time.Time) []string {
	what := strings.Trim(e.Namespace+"/"+e.Name, "/")
	if what != "" && e.Resource != "" && e.Resource != "applications" {
		what = e.Resource + " " + what
	}
	why := strings.Trim(e.Reason+"; "+e.Message, "; ")
	if e.Count > 1 {
		why = fmt.Sprintf("%d times: %s", e.Count, why)
	}
	return []string{
		strconv.FormatInt(e.Sequence, 10), table.Age(e.Time, now), table.Dash(e.Who.Name), table.Dash(e.From.Address), e.Verb, table.Dash(cmp.Or(what, e.Resource)), string(e.Outcome), screen.Words(why),
	}
}

type auditExport struct {
	auditFlags
	auditPick

	after int64
}

func newAuditExport(g *command.Global) *cobra.Command {
	x := &auditExport{auditFlags: auditFlags{Global: g}}
	cmd := &cobra.Command{
		Use: "export", Short: "Write entries as lines of JSON, the oldest first", Args: command.None,
		Example: "  causeway audit export > audit.jsonl\n  causeway audit export --after 4711 --outcome denied",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(x.named(cmd.Flags()), x.check()); err != nil {
				return err
			}
			return x.run(cmd.Context())
		},
	}
	x.auditFlags.register(cmd.Flags())
	x.auditPick.register(cmd.Flags())
	cmd.Flags().Int64Var(&x.after, "after", 0, "begin behind the entry of this sequence")
	return cmd
}

func (x *auditExport) run(ctx context.Context) error {
	s, err := x.open()
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	q := x.picked(0)
	q.After = x.after
	return s.ExportAudit(ctx, q, func(line []byte) error {
		_, err := fmt.Fprintln(command.Exact(x.Out), screen.JSON(string(line)))
		return err
	})
}
