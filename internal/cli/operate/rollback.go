package operate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/past"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/history"
)

type rollbackFlags struct {
	past.Flags

	prune   bool
	dryRun  bool
	async   bool
	wait    bool
	timeout time.Duration
}

// NewRollback returns the command rollback.
func NewRollback(g *command.Global) *cobra.Command {
	r := &rollbackFlags{Flags: past.Flags{Global: g}, prune: true}
	cmd := &cobra.Command{
		Use:   "rollback APP [ID]",
		Short: "Bring back what an earlier sync applied",
		Long: "Bring back exactly the manifests of an earlier sync, from the history: neither Git nor a registry is asked.\n" +
			"Without an ID, the last good sync before the one that is deployed. Hooks do not run again. An application with\n" +
			"automated sync stays where it is rolled back to until its manifests change, or until it is synced by hand.",
		Example: "  causeway rollback shop\n  causeway rollback shop 3 --wait",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return command.Usagef("name an application, and a sync if not the one before is wanted")
			}
			if len(args) == 2 && strings.TrimSpace(args[1]) == "" {
				return command.Usagef("the sync to go back to is empty: leave it out for the last good one, or see why the variable that it came from is empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "history-file"); err != nil {
				return err
			}
			if r.wait && r.async {
				return command.Usagef("cannot take both --wait and --async")
			}
			return r.run(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	f := cmd.Flags()
	r.Register(f)
	f.BoolVar(&r.prune, "prune", r.prune, "delete objects that were not there then")
	f.BoolVar(&r.dryRun, "dry-run", false, "change nothing, and print what the API server would answer")
	f.BoolVar(&r.async, "async", false, "ask, and do not follow")
	f.BoolVar(&r.wait, "wait", false, "wait until the application is healthy too")
	f.DurationVar(&r.timeout, "timeout", command.Patience, "give up after this time, with 5; the rollback goes on; 0: never")
	return cmd
}

func (r *rollbackFlags) run(ctx context.Context, name, id string) error {
	p, err := r.Open(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	to, err := r.target(ctx, p, id)
	if err != nil {
		return err
	}
	ctx, cancel := command.Within(ctx, r.timeout, command.Latef("not done within %s; the rollback goes on: see causeway get apps", r.timeout))
	defer cancel()
	s := &syncFlags{Global: r.Global, prune: r.prune, dryRun: r.dryRun, healthy: r.wait, back: to}
	mark, err := s.ask(ctx, p.Hub, name, nil)
	if err != nil {
		return command.Overdue(ctx, err)
	}
	_, _ = fmt.Fprintf(r.Err, "%s: back to %s of %s ago\n", name, past.RevisionsOf(to), table.Age(to.Started, time.Now()))
	if r.async {
		return nil
	}
	return command.Overdue(ctx, s.follow(ctx, p.Hub, name, request{mark, time.Now()}, nil))
}

// target is the sync to go back to.
func (r *rollbackFlags) target(ctx context.Context, p *past.Application, id string) (*history.Sync, error) {
	if id != "" {
		to, err := p.Find(ctx, id)
		if err == nil && to.Rendering == "" {
			err = fmt.Errorf("sync %s applied nothing: choose another of causeway history %s", id, p.Hub.NameOf(p.App))
		}
		return to, err
	}
	list, err := p.From.List(ctx, p.App.Namespace, p.App.Name, past.MostSyncs)
	if err != nil {
		return nil, err
	}
	now := ""
	for i := range list {
		one := &list[i]
		if one.History == nil || one.DryRun || one.App.UID != string(p.App.UID) {
			continue
		}
		if now == "" {
			now = one.Rendering
		}
		if one.Rendering != now && one.Succeeded() {
			return one, nil
		}
	}
	return nil, fmt.Errorf("application %s has no earlier sync with other manifests: see causeway history %s", p.App.Name, p.Hub.NameOf(p.App))
}
