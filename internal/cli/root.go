package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// global is what every command shares.
type global struct {
	Streams

	version    string
	stateDir   string
	fleet      string
	kubeconfig string
	context    string
	namespace  string
	noColor    bool
	server     serverFlags
}

// Main runs the command line of the process and returns its exit code.
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second signal ends the process at once; clusters end with it.
	context.AfterFunc(ctx, stop)
	return Run(ctx, version, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Run does what the arguments ask for and returns the exit code.
func Run(ctx context.Context, version string, args []string, streams Streams) int {
	streams, end := streams.safe()
	defer end()
	root := newRoot(&global{Streams: streams, version: version})
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitFine
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errStopped
	}
	if !silent(err) {
		// A line that others wrote passes for none of the program's own.
		_, _ = fmt.Fprintf(streams.Err, "Error: %s\n", strings.ReplaceAll(screen.Clean(err.Error()), "\n", "\n  "))
	}
	code := exitCode(err)
	if question := (unasked{}); code == exitUsage && !errors.As(err, &question) {
		_, _ = fmt.Fprintf(streams.Err, "\nUsage: %s\nSee %s --help.\n", cmd.UseLine(), cmd.CommandPath())
	}
	return code
}

// The groups of commands in --help.
const (
	groupFleet = "fleet"
	groupRead  = "read"
	groupDo    = "do"
	groupOther = "other"
)

func newRoot(g *global) *cobra.Command {
	cobra.EnableCommandSorting = false // the order of the groups has a meaning
	root := &cobra.Command{
		Use:   "causeway",
		Short: "A GitOps engine for fleets of clusters",
		Long: "Causeway makes clusters match what Git says, and keeps them so. It reads Applications,\n" +
			"ApplicationSets, AppProjects and cluster Secrets as Argo CD does.",
		Example:       "  causeway up --file examples/fleet/causeway.yaml   # a whole fleet on this machine\n  causeway get apps\n  causeway tree platform-dev",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              unknownCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkServer(cmd); err != nil {
				return err
			}
			if err := environment(cmd, os.LookupEnv); err != nil {
				return err
			}
			return lengths(cmd)
		},
	}
	root.SetIn(g.In)
	root.SetOut(g.Out)
	root.SetErr(g.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{nearestFlag(cmd, err)} })
	root.AddGroup(
		&cobra.Group{ID: groupFleet, Title: "Run:"},
		&cobra.Group{ID: groupRead, Title: "Look:"},
		&cobra.Group{ID: groupDo, Title: "Act:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	root.SetHelpCommandGroupID(groupOther)
	g.flags(root.PersistentFlags())
	for _, part := range []struct {
		group    string
		commands []*cobra.Command
	}{
		{groupFleet, []*cobra.Command{newUp(g), newDown(g), newRun(g), newBootstrap(g), newImport(g)}},
		{groupRead, []*cobra.Command{newPreview(g), newLint(g), newGet(g), newTree(g), newDiff(g), newGenerate(g), newRender(g), newWhy(g), newBridge(g), newWindows(g), newOrphans(g), newHistory(g), newChanges(g), newAudit(g), newTrace(g), newEvents(g), newLogs(g), newKubeconfig(g), newDoctor(g)}},
		{groupDo, []*cobra.Command{newSync(g), newWait(g), newTerminate(g), newDelete(g), newConfirm(g), newApprove(g), newActions(g), newRollout(g), newRollback(g), newMirror(g), newExport(g), newComment(g), newRefresh(g)}},
		{groupOther, []*cobra.Command{newLogin(g), newLogout(g), newKeys(g), newVersion(g), newCompletion(g)}},
	} {
		for _, cmd := range part.commands {
			cmd.GroupID = part.group
			root.AddCommand(cmd)
		}
	}
	tellServed(root)
	dress(root)
	return root
}

func (g *global) flags(f *pflag.FlagSet) {
	f.StringVar(&g.stateDir, "state-dir", "", "folder of local fleets (default: one of the user's, outside of this folder, for the fleets of this folder or the nearest one above)")
	f.StringVar(&g.fleet, "fleet", "", "local fleet to talk to, when several run")
	f.StringVar(&g.kubeconfig, "kubeconfig", "", "kubeconfig of the hub, instead of a local fleet's")
	f.StringVar(&g.context, "context", "", "context of the kubeconfig")
	f.StringVarP(&g.namespace, "namespace", "n", "", "namespace of Applications on the hub (default: argocd)")
	g.server.register(f)
	f.BoolVar(&g.noColor, "no-color", false, "print no colours (also: NO_COLOR)")
}

// moved says on the error stream that a command has another name now.
func (g *global) moved(from, to string) {
	_, _ = fmt.Fprintf(g.Err, "%s is %s now\n", from, to)
}

// unknownCommand suggests the nearest command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usagef("there is no command %q%s", args[0], gitops.DidYouMean(args[0], names))
}

func nearestFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("there is no flag --%s%s", missing.GetSpecifiedName(), gitops.DidYouMean("--"+missing.GetSpecifiedName(), names))
}

// one checks that there is one name, as a usage error.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("name %s", what)
		case len(args) > 1:
			return tooMany(cmd, args[1])
		}
		return nil
	}
}

// tooMany refuses an argument with what the command takes, and an example.
func tooMany(cmd *cobra.Command, arg string) error {
	_, takes, _ := strings.Cut(cmd.Use, " ")
	text := fmt.Sprintf("cannot take the argument %q: %s takes %s", arg, cmd.CommandPath(), takes)
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	if example != "" {
		text += ", as in: " + example
	}
	return usageError{errors.New(text)}
}

func none(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("cannot take the argument %q", strings.Join(args, " "))
	}
	return nil
}
