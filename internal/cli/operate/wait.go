package operate

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type waitFlags struct {
	*command.Global

	selector   string
	projects   []string
	namespaces []string
	all        bool
	goals      []string
	revision   string
	refresh    string
	timeout    time.Duration
	output     string

	goal goal
}

// waitPatience is how long a wait lasts that says nothing of it.
const waitPatience = 5 * time.Minute

// NewWait returns the command wait.
func NewWait(g *command.Global) *cobra.Command {
	w := &waitFlags{Global: g, goals: []string{forSynced, forHealthy}, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "wait APP… | wait -l SELECTOR",
		Short: "Wait until applications are synced and healthy, their operation has ended, or they are gone",
		Long: "Wait until applications are as --for says, and print how the wait for each of them ended. Progress goes to standard error.\n\n" +
			"  synced     the cluster is as the sources say, and no operation is under way\n" +
			"  healthy    the health is Healthy\n" +
			"  operation  no operation is under way, and the last one succeeded, if there ever was one\n" +
			"  deleted    the application is gone; one that is not there is\n\n" +
			"A wait judges what the engine knows. After a push that may be how it was before: --refresh has the engine look at Git and the\n" +
			"cluster first, and judges what it has found then. --revision does so until the engine has found that revision: a commit, which may\n" +
			"be shortened, or the version of a chart. Where a newer commit comes first, the wait for the older one does not end.\n\n" +
			"With -l, --project or --all-namespaces, the applications that there are at the beginning are waited for.\n\n" +
			"Exits with 0 when all are as asked, with 1 when one of them cannot become so any more (its operation failed, it is Degraded\n" +
			"for 30 seconds with nothing under way, it was deleted), with 5 when the time is over.",
		Example: "  causeway wait shop --refresh\n  causeway wait shop --revision \"$(git rev-parse HEAD)\" --timeout 10m\n" +
			"  causeway wait -l team=web --for synced,healthy -o json\n  causeway sync shop --async && causeway wait shop --for operation\n  causeway delete shop --yes && causeway wait shop --for deleted",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "revision", "refresh", "selector", "project", "app-namespace"); err != nil {
				return err
			}
			return w.run(cmd.Context(), args)
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	f := cmd.Flags()
	f.StringVarP(&w.selector, "selector", "l", "", "those whose labels match, as in environment=prod,team!=web")
	f.StringSliceVar(&w.projects, "project", nil, "those of this project, or of these")
	f.StringSliceVar(&w.namespaces, "app-namespace", nil, "with -l or --project: of these namespaces, instead of the control namespace")
	f.BoolVarP(&w.all, "all-namespaces", "A", false, "those of all namespaces")
	f.StringSliceVar(&w.goals, "for", w.goals, "what to wait for: synced, healthy, operation, or deleted")
	f.StringVar(&w.revision, "revision", "", "what is waited for has to be so at this revision")
	target.RefreshFlag(f, &w.refresh, "have the engine look at Git and the cluster first, with hard also render anew")
	f.DurationVar(&w.timeout, "timeout", waitPatience, "give up after this time, with 5; 0: never")
	f.StringVarP(&w.output, "output", "o", w.output, "how to print: table, wide, json, yaml")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(everyGoal, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return cmd
}

func (w *waitFlags) run(ctx context.Context, names []string) error {
	names = command.Compact(names)
	selector, err := w.check(names)
	if err != nil {
		return err
	}
	h, err := target.Reach(w.Global)
	if err != nil {
		return err
	}
	wt := &waiting{flags: w, hub: h, now: time.Now}
	limited, cancel := command.Within(ctx, w.timeout, command.Latef("the hub has not answered within %s", w.timeout))
	defer cancel()
	if err := wt.begin(limited, once(h, names), selector); err != nil {
		return command.Overdue(limited, err)
	}
	err = wt.follow(limited)
	if ctx.Err() != nil { // who pressed ctrl-c wants no table
		return ctx.Err()
	}
	if err != nil && limited.Err() == nil {
		return err
	}
	wt.end()
	if err := w.printResults(wt.results()); err != nil {
		return err
	}
	return wt.verdict()
}

// check refuses what cannot be meant, before a hub is asked.
func (w *waitFlags) check(names []string) (labels.Selector, error) {
	if err := table.CheckOutput(w.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return nil, err
	}
	picks := w.selector != "" || len(w.projects) > 0 || len(w.namespaces) > 0 || w.all
	switch {
	case len(names) == 0 && !picks:
		return nil, command.Usagef("name the applications to wait for, or choose them with -l or --project")
	case len(names) > 0 && picks:
		return nil, command.Usagef("cannot take both names and -l, --project, --app-namespace or --all-namespaces")
	}
	if err := cmp.Or(target.CheckNames(names), target.CheckRefresh(w.refresh)); err != nil {
		return nil, err
	}
	var err error
	if w.goal, err = goalOf(w.goals, strings.TrimSpace(w.revision)); err != nil {
		return nil, err
	}
	if w.goal.revision != "" && w.refresh == "" {
		w.refresh = string(api.Normal)
	}
	selector, err := labels.Parse(w.selector)
	if err != nil {
		return nil, command.Usagef("cannot understand --selector: %w", err)
	}
	return selector, nil
}

// query picks what is waited for where no names do.
func (w *waitFlags) query(h *target.Hub, selector labels.Selector) rows.Query {
	q := rows.Query{Selector: selector, Projects: w.projects, Namespaces: []string{h.Namespace}, Now: time.Now()}
	if len(w.namespaces) > 0 {
		q.Namespaces = command.Compact(w.namespaces)
	}
	if w.all {
		q.Namespaces = []string{""}
	}
	return q
}
