package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/spf13/cobra"
)

type rollbackFlags struct {
	pastFlags

	prune   bool
	dryRun  bool
	async   bool
	wait    bool
	timeout time.Duration
}

func newRollback(g *global) *cobra.Command {
	r := &rollbackFlags{pastFlags: pastFlags{global: g}, prune: true}
	cmd := &cobra.Command{
		Use:   "rollback APP [ID]",
		Short: "Bring back what an earlier sync applied",
		Long: "Bring back exactly the manifests of an earlier sync, from the history: neither Git nor a registry is asked.\n" +
			"Without an ID, the last good sync before the one that is deployed. Hooks do not run again. An application with\n" +
			"automated sync stays where it is rolled back to until its manifests change, or until it is synced by hand.",
		Example: "  causeway rollback shop\n  causeway rollback shop 3 --wait",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usagef("name an application, and a sync if not the one before is wanted")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
		ValidArgsFunction: g.completeApp,
	}
	f := cmd.Flags()
	f.StringVar(&r.file, "history-file", "", "history of an engine on this machine, instead of the local fleet's or the hub's")
	f.BoolVar(&r.prune, "prune", r.prune, "delete objects that were not there then")
	f.BoolVar(&r.dryRun, "dry-run", false, "change nothing, only tell what the API server would say")
	f.BoolVar(&r.async, "async", false, "ask, and do not follow")
	f.BoolVar(&r.wait, "wait", false, "wait until the application is healthy too")
	f.DurationVar(&r.timeout, "timeout", patience, "give up after this time, with 5; the rollback goes on; 0: never")
	return cmd
}

func (r *rollbackFlags) run(ctx context.Context, name, id string) error {
	p, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer p.close()
	to, err := r.target(ctx, p, id)
	if err != nil {
		return err
	}
	ctx, cancel := within(ctx, r.timeout, latef("not done within %s; the rollback goes on: see causeway get apps", r.timeout))
	defer cancel()
	s := &syncFlags{global: r.global, prune: r.prune, dryRun: r.dryRun, healthy: r.wait, back: to}
	mark, err := s.ask(ctx, p.hub, name, nil)
	if err != nil {
		return overdue(ctx, err)
	}
	_, _ = fmt.Fprintf(r.Err, "%s: back to %s of %s ago\n", name, revisionsOf(to), age(to.Started, time.Now()))
	if r.async {
		return nil
	}
	return overdue(ctx, s.follow(ctx, p.hub, name, mark, nil))
}

// target is the sync to go back to.
func (r *rollbackFlags) target(ctx context.Context, p *past, id string) (*history.Sync, error) {
	if id != "" {
		to, err := p.find(ctx, id)
		if err == nil && to.Rendering == "" {
			err = fmt.Errorf("sync %s applied nothing: choose another of causeway history %s", id, p.app.Name)
		}
		return to, err
	}
	list, err := p.from.List(ctx, p.app.Namespace, p.app.Name, mostSyncs)
	if err != nil {
		return nil, err
	}
	now := ""
	for i := range list {
		one := &list[i]
		if one.History == nil || one.DryRun || one.App.UID != string(p.app.UID) {
			continue
		}
		if now == "" {
			now = one.Rendering
		}
		if one.Rendering != now && one.Succeeded() {
			return one, nil
		}
	}
	return nil, fmt.Errorf("application %s has no earlier sync with other manifests: see causeway history %s", p.app.Name, p.app.Name)
}
