package install

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/differences"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/plan"
)

type bootstrapFlags struct {
	*command.Global

	install    installFlags
	repository repositoryFlags
	member     memberFlags

	scaffold string
	commit   bool
	push     bool
	mirrors  []string
	output   string
	noFetch  bool
	dryRun   bool
	wait     bool
	timeout  time.Duration
}

// NewBootstrap returns the command bootstrap.
func NewBootstrap(g *command.Global) *cobra.Command {
	b := &bootstrapFlags{Global: g, wait: true, timeout: command.Patience, output: asBrief}
	cmd := &cobra.Command{
		Use:   "bootstrap --repo URL|--scaffold DIR",
		Short: "Make a hub of a cluster: from nothing to a fleet that comes from Git",
		Long: "Install the engine in a cluster, register a Git repository, describe the cluster as the hub of its fleet,\n" +
			"and apply the root ApplicationSets, which deploy the rest from the repository. Then wait until the engine\n" +
			"runs and the root applications are Synced and Healthy, and print the fleet.\n\n" +
			"It can be run again: what is as it should be is not written. Labels and annotations of the hub's Secret that\n" +
			"others wrote stay, and none is ever removed. With --dry-run nothing is written; it exits with 3 when\n" +
			"something would be. With --scaffold, the first layout of the repository is written to a work tree; without --repo,\n" +
			"that is all, and no cluster is needed.",
		Example: "  causeway bootstrap --context hub --repo https://git.example.com/team/fleet --dry-run\n" +
			"  causeway bootstrap --repo git@git.example.com:team/fleet --repo-ssh-key-file deploy.key --set destination.clusterAdmin=true\n" +
			"  causeway bootstrap --scaffold . --commit --push",
		Args: command.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context()) },
	}
	f := cmd.Flags()
	b.repository.register(f)
	b.member.register(f)
	b.install.register(f)
	f.StringVar(&b.scaffold, "scaffold", "", "write the first layout of the repository to this work tree; never writes over a file")
	f.BoolVar(&b.commit, "commit", false, "with --scaffold: commit the layout, and nothing else of the work tree")
	f.BoolVar(&b.push, "push", false, "with --commit: push the branch to --repo, or else to the work tree's remote, with git's own credentials")
	f.StringArrayVar(&b.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; can be repeated")
	f.BoolVar(&b.noFetch, "no-fetch", false, "do not look at the repository: for one that only the cluster can reach")
	f.BoolVar(&b.dryRun, "dry-run", false, "write nothing, and show what would be written")
	f.StringVarP(&b.output, "output", "o", b.output, "with --dry-run, what to print: brief (new definitions as a line), diff (everything)")
	f.BoolVar(&b.wait, "wait", b.wait, "wait until the engine runs and the root applications are Synced and Healthy")
	f.DurationVar(&b.timeout, "timeout", b.timeout, "give up the wait after this time; what was written stays")
	return cmd
}

func (b *bootstrapFlags) run(ctx context.Context) error {
	if err := b.check(); err != nil {
		return err
	}
	l, err := b.layout(ctx)
	if err != nil {
		return err
	}
	switch {
	case b.repository.url != "":
		return b.make(ctx, l)
	case b.dryRun:
		return b.foretellLayout(l)
	}
	return b.layOut(ctx, l)
}

// make makes the hub, or tells what would be made, and lays the repository out
// once nothing stands in the way.
func (b *bootstrapFlags) make(ctx context.Context, l layout) error {
	h, err := target.ConnectContext(b.Global)
	if err != nil {
		return err
	}
	options, err := b.options(h)
	if err != nil {
		return err
	}
	options.Coming = b.coming(l, options.Mirrors)
	boot, err := install.NewBootstrap(options)
	if err != nil {
		return err
	}
	plan, err := boot.Plan(ctx)
	if err != nil {
		return h.Explain(err)
	}
	for _, text := range plan.Kept {
		b.sayf("%s", text)
	}
	if b.dryRun {
		return b.foretell(plan, l)
	}
	if err := b.layOut(ctx, l); err != nil {
		return err
	}
	if err := b.write(ctx, boot, plan); err != nil {
		return h.Explain(err)
	}
	return b.finish(ctx, h, boot, plan)
}

// check refuses flags that make no sense.
func (b *bootstrapFlags) check() error {
	switch {
	case b.repository.url == "" && b.scaffold == "":
		return command.Usagef("name the repository of the fleet with --repo, or a work tree for its first layout with --scaffold")
	case b.commit && b.scaffold == "":
		return command.Usagef("cannot take --commit without --scaffold: there is nothing to commit")
	case b.push && !b.commit:
		return command.Usagef("cannot take --push without --commit: what is not committed is not pushed")
	case b.output != asBrief && b.output != asDiff:
		return command.Usagef("cannot print as %q: use brief or diff", b.output)
	case b.wait && b.timeout <= 0:
		return command.Usagef("cannot wait for %s: give --timeout some time, or add --wait=false", b.timeout)
	}
	if err := bootstrap.CheckRoots(b.member.roots); err != nil {
		return command.UsageError{Err: err}
	}
	return nil
}

// options reads the files that flags name.
func (b *bootstrapFlags) options(h *target.Hub) (install.Options, error) {
	out := install.Options{Hub: h.Config, Unfetched: b.noFetch, Within: b.timeout, Say: b.sayf}
	var err error
	if out.Mirrors, err = command.SteadyMirrors(b.mirrors); err != nil {
		return out, err
	}
	if out.Log, err = command.LogTo(b.Err, "text", slog.LevelError); err != nil {
		return out, err
	}
	if out.Engine, err = b.install.engine(h.Namespace); err != nil {
		return out, err
	}
	if out.Repository, err = b.repository.read(h.Namespace); err != nil {
		return out, err
	}
	out.Member, err = b.member.read(h.Namespace, b.repository)
	return out, err
}

// write applies what differs, once the repository has what was to come.
func (b *bootstrapFlags) write(ctx context.Context, boot *install.Bootstrap, plan *install.Plan) error {
	if err := boot.Arrived(ctx, plan); err != nil {
		return err
	}
	if len(plan.Changes()) == 0 {
		b.sayf("nothing to change: %s as they should be", are(plan.Same()))
		return nil
	}
	if err := boot.Apply(ctx, plan); err != nil {
		return fmt.Errorf("%w; what was written stays: run it again to go on", err)
	}
	b.sayf("%s written, %s as they should be", gitops.Count(len(plan.Changes()), "object"), are(plan.Same()))
	return nil
}

func are(n int) string {
	if n == 1 {
		return "1 object is"
	}
	return fmt.Sprintf("%d objects are", n)
}

// finish waits, and prints the fleet.
func (b *bootstrapFlags) finish(ctx context.Context, h *target.Hub, boot *install.Bootstrap, plan *install.Plan) error {
	if !b.wait {
		b.sayf("see how far it is: causeway get apps --context %s", cmp.Or(b.Context, "CONTEXT"))
		return nil
	}
	line := command.NewProgress(b.Err)
	boot.Progress = line.Show
	err := boot.Wait(ctx, plan)
	line.End()
	if ctx.Err() != nil {
		return command.ErrStopped
	}
	if err != nil {
		return h.Explain(err)
	}
	b.sayf("the engine runs, and the root applications are Synced and Healthy\n")
	return rows.PrintClusters(ctx, b.Global, h)
}

// How a dry run prints objects.
const (
	asBrief = "brief"
	asDiff  = "diff"
)

// shown are the objects whose differences are printed: new definitions are
// thousands of lines that nobody reads.
func (b *bootstrapFlags) shown(all []plan.ObjectDiff) []plan.ObjectDiff {
	if b.output == asDiff {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(o plan.ObjectDiff) bool {
		return o.Key.Kind == "CustomResourceDefinition" && o.Verb == gitops.Create
	})
}

// foretell prints what would be written: the layout, then the list of the
// objects, then their differences.
func (b *bootstrapFlags) foretell(plan *install.Plan, l layout) error {
	changes := b.foretellLayout(l)
	all := plan.Changes()
	if len(all) == 0 {
		b.sayf("nothing to change: %s as they should be", are(plan.Same()))
		return changes
	}
	style := b.Style(b.Out)
	for _, o := range all {
		b.sayf("%s", style.Title(differences.Heading(o)))
	}
	b.sayf("")
	if err := differences.Print(b.Global, differences.AsDiff, b.shown(all)); err != nil {
		return err
	}
	b.sayf("nothing was written: %s would be, %s as they should be", gitops.Count(len(all), "object"), are(plan.Same()))
	return command.ErrChanges
}

func (b *bootstrapFlags) sayf(format string, args ...any) {
	_, _ = fmt.Fprintf(b.Out, format+"\n", args...)
}
