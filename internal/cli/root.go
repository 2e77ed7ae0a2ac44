package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/comment"
	"github.com/causeway-gitops/causeway/internal/cli/diff"
	"github.com/causeway-gitops/causeway/internal/cli/doctor"
	"github.com/causeway-gitops/causeway/internal/cli/get"
	"github.com/causeway-gitops/causeway/internal/cli/install"
	"github.com/causeway-gitops/causeway/internal/cli/kms"
	"github.com/causeway-gitops/causeway/internal/cli/login"
	"github.com/causeway-gitops/causeway/internal/cli/operate"
	"github.com/causeway-gitops/causeway/internal/cli/preview"
	"github.com/causeway-gitops/causeway/internal/cli/record"
	"github.com/causeway-gitops/causeway/internal/cli/up"
	"github.com/causeway-gitops/causeway/internal/cli/why"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Main runs the command line of the process and returns its exit code.
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second signal ends the process at once; clusters end with it.
	context.AfterFunc(ctx, stop)
	return Run(ctx, version, os.Args[1:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Run does what the arguments ask for and returns the exit code.
func Run(ctx context.Context, version string, args []string, streams command.Streams) int {
	streams, end := streams.Safe()
	defer end()
	root := newRoot(&command.Global{Streams: streams, Version: version})
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return command.ExitFine
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = command.ErrStopped
	}
	if !command.Silent(err) {
		// A line that others wrote passes for none of the program's own.
		_, _ = fmt.Fprintf(streams.Err, "Error: %s\n", strings.ReplaceAll(screen.Clean(err.Error()), "\n", "\n  "))
	}
	code := command.ExitCode(err)
	if question := (command.Unasked{}); code == command.ExitUsage && !errors.As(err, &question) {
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

func newRoot(g *command.Global) *cobra.Command {
	cobra.EnableCommandSorting = false // the order of the groups has a meaning
	root := &cobra.Command{
		Use:   "causeway",
		Short: "A GitOps engine for fleets of clusters",
		Long: "Causeway makes clusters match what Git says, and keeps them so. It reads Applications,\n" +
			"ApplicationSets, AppProjects and cluster Secrets as Argo CD does.",
		Example:       "  causeway up --file examples/fleet/causeway.yaml   # a whole fleet on this machine\n  causeway get apps\n  causeway tree platform-dev",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              command.UnknownCommand,
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
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return command.UsageError{Err: nearestFlag(cmd, err)} })
	root.AddGroup(
		&cobra.Group{ID: groupFleet, Title: "Run:"},
		&cobra.Group{ID: groupRead, Title: "Look:"},
		&cobra.Group{ID: groupDo, Title: "Act:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	root.SetHelpCommandGroupID(groupOther)
	g.Flags(root.PersistentFlags())
	for _, family := range families(g) {
		for _, cmd := range family.commands {
			cmd.GroupID = family.group
			root.AddCommand(cmd)
		}
	}
	tellServed(root)
	dress(root)
	return root
}

// family are the commands of one group, in the order that the help has.
type family struct {
	group    string
	commands []*cobra.Command
}

func families(g *command.Global) []family {
	return []family{
		{groupFleet, []*cobra.Command{
			up.New(g),
			up.NewDown(g),
			up.NewRun(g),
			kms.New(g),
			install.NewBootstrap(g),
			install.NewImport(g),
		}},
		{groupRead, []*cobra.Command{
			preview.New(g),
			preview.NewLint(g),
			get.New(g),
			get.NewTree(g),
			diff.New(g),
			preview.NewGenerate(g),
			preview.NewRender(g),
			why.New(g),
			why.NewBridge(g),
			get.NewWindows(g),
			get.NewOrphans(g),
			get.NewSecrets(g),
			record.NewHistory(g),
			record.NewChanges(g),
			record.NewAudit(g),
			record.NewTrace(g),
			get.NewEvents(g),
			get.NewLogs(g),
			get.NewKubeconfig(g),
			doctor.New(g),
		}},
		{groupDo, []*cobra.Command{
			operate.NewSync(g),
			operate.NewWait(g),
			operate.NewTerminate(g),
			operate.NewDelete(g),
			operate.NewConfirm(g),
			operate.NewApprove(g),
			operate.NewActions(g),
			operate.NewRollout(g),
			operate.NewRollback(g),
			preview.NewMirror(g),
			install.NewExport(g),
			comment.New(g),
			operate.NewRefresh(g),
		}},
		{groupOther, []*cobra.Command{
			login.New(g),
			login.NewLogout(g),
			login.NewKeys(g),
			newVersion(g),
			newCompletion(g),
		}},
	}
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
