package up

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/local"
)

// upFlags are what `up` is asked for.
type upFlags struct {
	*command.Global

	file    string
	flags   local.Flags
	mirrors []string
	detach  bool
	once    bool
	fresh   bool
	// programs of clusters may run.
	programs bool
	timeout  time.Duration
	listen   string
	// serve is the address of pages and the API; empty for none.
	serve   string
	workers int
	// secrets has ExternalSecrets reconciled.
	secrets bool
	// interval between two looks at a mirrored folder.
	interval time.Duration
	store    storeFlags
	// history is what store says.
	history chronicle.Config
}

// New returns the command up.
func New(g *command.Global) *cobra.Command {
	u := &upFlags{Global: g}
	cmd := &cobra.Command{
		Use:   "up --file FLEET.yaml | --repo PATH [--clusters NAMES] [--apply FILES]",
		Short: "Start a fleet of embedded clusters on this machine and roll out a repository",
		Long: "Start a hub and its spokes as embedded control planes, write the Secret of each to the hub, apply\n" +
			"what starts the fleet, and run the engine until ctrl-c. State stays: a second `up` finds its\n" +
			"clusters again. What is mirrored follows the files: save one, and it rolls out.\n\n" +
			"What is applied comes from the checkout and acts as you do: it names the clusters that are deployed to,\n" +
			"and with what credentials. Start only what you trust; look at others with `causeway preview`.",
		Example: "  causeway up --file examples/fleet/causeway.yaml\n" +
			"  causeway up --file examples/fleet/causeway.yaml --detach && causeway get apps\n" +
			"  causeway up --repo ~/src/platform --clusters dev,staging,prod --secret dev.yaml --apply bootstrap \\\n" +
			"    --mirror https://charts.example.com=~/src/charts",
		Args: command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(unsigned(cmd.Flags(), "workers"), u.check()); err != nil {
				return err
			}
			return u.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&u.file, "file", "f", "", "LocalFleet file that says what to start")
	f.StringVar(&u.flags.Repo, "repo", "", "GitOps repository to start without a LocalFleet file; stands in for its own remotes")
	f.StringSliceVar(&u.flags.Clusters, "clusters", nil, "with --repo: names of the spokes, beside the hub")
	f.StringSliceVar(&u.flags.Secrets, "secret", nil, "with --repo: files with the Secrets that describe clusters")
	f.StringSliceVar(&u.flags.Apply, "apply", nil, "with --repo: files and folders to apply to the hub at the start")
	f.StringArrayVar(&u.mirrors, "mirror", nil, "serve the address URL from a local folder, as URL=PATH; can be repeated")
	f.BoolVarP(&u.detach, "detach", "d", false, "leave the fleet running in the background once it is healthy")
	f.BoolVar(&u.once, "once", false, "stop once all is healthy")
	f.BoolVar(&u.fresh, "fresh", false, "forget the state of an earlier start")
	f.BoolVar(&u.programs, "cluster-programs", false, "run the programs that cluster Secrets of the checkout name for their credentials (execProviderConfig)")
	f.DurationVar(&u.timeout, "timeout", 0, "give up when not all is healthy after this time (default: 10m with --once or --detach, else never)")
	f.BoolVar(&u.secrets, "secrets", false, secretsUsage)
	f.DurationVar(&u.interval, "local-interval", 0, "time between two looks at a mirrored folder (default: 0.5s)")
	f.StringVar(&u.listen, "listen", "", "address of metrics, health and webhooks (default: off)")
	f.StringVar(&u.serve, "serve", pagesAddress, "address of the pages for the browser and the API; another port where that one is taken; '' for none")
	u.store.register(f)
	f.IntVar(&u.workers, "workers", 0, "Applications to work on at a time, besides those that wait for a repository or a render (default: 48)")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	_ = cmd.MarkFlagDirname("repo")
	return cmd
}

// unsigned refuses numbers below 0, which is the default of each. Times are looked at
// for all commands.
func unsigned(f *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if text := f.Lookup(name).Value.String(); strings.HasPrefix(text, "-") {
			return command.Usagef("cannot take --%s %s, which is less than nothing: leave it out for its default", name, text)
		}
	}
	return nil
}

// check refuses flags that exclude each other.
func (u *upFlags) check() error {
	described := map[string][]string{"--clusters": u.flags.Clusters, "--secret": u.flags.Secrets, "--apply": u.flags.Apply}
	for _, flag := range slices.Sorted(maps.Keys(described)) {
		if u.file != "" && len(described[flag]) > 0 {
			return command.Usagef("cannot take both --file and %s: the file says it", flag)
		}
	}
	if u.once && u.detach {
		return command.Usagef("cannot take both --once and --detach: one stops the fleet once all is healthy, the other leaves it running")
	}
	return nil
}

const secretsUsage = "keep the Secrets that ExternalSecrets describe, in the hub and in all clusters in which External Secrets' own operator does not run"

func (u *upFlags) run(ctx context.Context) (err error) {
	if u.history, err = u.store.config(); err != nil {
		return err
	}
	fleet, err := u.fleetWanted(ctx)
	if err != nil {
		return err
	}
	state, err := target.StateFolder(u.Global)
	if err != nil {
		return err
	}
	home, err := local.HomeOf(state, fleet.Name)
	if err != nil {
		return err
	}
	if u.timeout == 0 && (u.once || u.detach) {
		u.timeout = command.Patience
	}
	if u.detach {
		return u.background(ctx, fleet, home)
	}
	return u.foreground(ctx, fleet, home)
}

func (u *upFlags) fleetWanted(ctx context.Context) (*local.Fleet, error) {
	mirrors, err := command.ParseMirrors(u.mirrors)
	if err != nil {
		return nil, err
	}
	fleet, err := u.described(ctx)
	if err != nil {
		return nil, err
	}
	fleet.AddMirrors(mirrors)
	fleet.Programs = u.programs
	if u.Fleet != "" {
		if err := local.CheckName(u.Fleet); err != nil {
			return nil, command.Usagef("--fleet: %w", err)
		}
		fleet.Name = u.Fleet
	}
	return fleet, nil
}

func (u *upFlags) described(ctx context.Context) (*local.Fleet, error) {
	switch {
	case u.file != "" && u.flags.Repo != "":
		return nil, command.Usagef("cannot take both --file and --repo")
	case u.file != "":
		fleet, err := local.Read(u.file)
		if err == nil && fleet.Former {
			checkout.Former(u.Global, u.file)
		}
		return fleet, err
	case u.flags.Repo == "":
		return nil, command.Usagef("name a LocalFleet file with --file, or a repository with --repo")
	}
	if len(u.flags.Apply) == 0 {
		return nil, command.UsageError{Err: local.ErrNothingToDo}
	}
	u.flags.Namespace = u.Namespace
	return local.FromFlags(ctx, u.flags)
}

// foreground runs the fleet in this process.
func (u *upFlags) foreground(ctx context.Context, fleet *local.Fleet, home local.Home) (err error) {
	lock, err := home.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if u.fresh {
		if err := home.Clear(); err != nil {
			return err
		}
	}
	if err := errors.Join(home.ForgetAddress(), home.Remember(fleet)); err != nil {
		return err
	}
	s, err := newSession(u, fleet, home)
	if err != nil {
		return err
	}
	return s.run(ctx)
}

// detachedVariable tells a process that it is the background one.
const detachedVariable = "CAUSEWAY_UP_DETACHED"

func detached() bool {
	is, _ := strconv.ParseBool(os.Getenv(detachedVariable))
	return is
}

func (u *upFlags) timeoutError(problem string) error {
	return fmt.Errorf("not everything was Synced and Healthy within %s:\n%s", u.timeout, problem)
}
