package install

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// NewImport returns the command import.
func NewImport(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Take over from another engine",
		Args:  command.UnknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImportArgo(g))
	return cmd
}

type importFlags struct {
	*command.Global

	rendering checkout.RenderingFlags
	mirrors   []string
	output    string
	apply     bool
	revert    bool
	changes   bool
	engine    string
	install   bool
	installed installFlags
	timeout   time.Duration
}

func newImportArgo(g *command.Global) *cobra.Command {
	i := &importFlags{Global: g, output: table.AsTable, engine: engineChart, timeout: defaultImportTime}
	cmd := &cobra.Command{
		Use:   "argocd",
		Short: "Look at an Argo CD, take over from it, and hand back",
		Long: "Look at the Argo CD of a cluster: what is taken over as it is, what differs, and what the engine would change\n" +
			"of each application, rendered from its sources and compared with the live objects, and what each ApplicationSet,\n" +
			"expanded by the engine, would change of its Applications. Nothing is written, and rights to read are enough.\n" +
			"Exits with 3 when something would change.\n\n" +
			"Argo CD's server may keep running, in part: lists, states, histories and syncs go on. Trees, live objects and differences, logs,\n" +
			"actions and terminals end within an hour, as its controller fills the cache that they come from; the engine's own pages and API\n" +
			"have them (--serve), and causeway tree, diff, logs and actions.\n\n" +
			"With --apply, Argo CD's controllers are scaled to 0, the engine is started, and all applications are watched\n" +
			"until they are as well off as before; what does not get there in time is handed back. With --revert, all is\n" +
			"handed back. Nothing is deleted, and no workload of an application is restarted. What was cut off can be run again.\n" +
			"With --install, an engine that is not there yet is installed from the built-in chart.",
		Example: "  causeway import argocd --context hub\n  causeway import argocd --context hub --apply\n  causeway import argocd --context hub --revert",
		Args:    command.None,
		RunE:    func(cmd *cobra.Command, _ []string) error { return i.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.BoolVar(&i.apply, "apply", false, "take over")
	f.BoolVar(&i.revert, "revert", false, "hand back to Argo CD what was taken over")
	f.BoolVar(&i.changes, "allow-changes", false, "take over although that changes objects, or although what it changes cannot be determined")
	f.StringVar(&i.engine, "engine", i.engine, "who starts and stops the engine: chart (this command scales what the chart installed), external (you do)")
	f.BoolVar(&i.install, "install", false, "with --apply: install the engine where there is none, with the rights of an administrator unless the values say otherwise")
	i.installed.register(f)
	f.DurationVar(&i.timeout, "timeout", i.timeout, "how long a takeover or its revert may take")
	f.StringVarP(&i.output, "output", "o", i.output, "how to print: table, wide, json, yaml")
	f.StringArrayVar(&i.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; can be repeated")
	i.rendering.Register(f)
	return cmd
}

// Who runs the engine, and how long a takeover may take.
const (
	engineChart       = "chart"
	engineExternal    = "external"
	defaultImportTime = 10 * time.Minute
)

func (i *importFlags) run(ctx context.Context) error {
	if err := table.CheckOutput(i.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	if i.engine != engineChart && i.engine != engineExternal {
		return command.Usagef("there is no --engine %s: use %s or %s", i.engine, engineChart, engineExternal)
	}
	if err := i.checkMove(); err != nil {
		return err
	}
	if i.timeout <= 0 {
		return command.Usagef("cannot take over within %s: give --timeout some time", i.timeout)
	}
	mirrors, err := command.SteadyMirrors(i.mirrors)
	if err != nil {
		return err
	}
	h, err := target.ConnectContext(i.Global)
	if err != nil {
		return err
	}
	inspector, err := i.inspectorOf(ctx, h, mirrors)
	if err != nil {
		return err
	}
	defer inspector.Close()
	if i.apply || i.revert {
		return i.move(ctx, h, inspector)
	}
	look, err := i.look(ctx, h, inspector)
	if err != nil {
		return err
	}
	if err := i.print(h, look); err != nil {
		return err
	}
	return look.verdict()
}

// checkMove refuses flags that exclude each other, and those of an installation
// where nothing is installed.
func (i *importFlags) checkMove() error {
	switch {
	case i.apply && i.revert:
		return command.Usagef("cannot both take over and hand back: give either --apply or --revert")
	case i.install && !i.apply:
		return command.Usagef("cannot take --install without --apply: nothing is installed by a look")
	case i.install && i.engine == engineExternal:
		return command.Usagef("cannot take both --install and --engine %s", engineExternal)
	case i.installed.given() && !i.install:
		return command.Usagef("cannot take --values, --set, --image or --version without --install")
	}
	return nil
}

// inspectorOf opens the stages without the controllers. The caller closes it.
func (i *importFlags) inspectorOf(ctx context.Context, h *target.Hub, mirrors []source.Mirror) (*inspect.Inspector, error) {
	rendering, err := i.rendering.Load("")
	if err != nil {
		return nil, err
	}
	log, err := command.LogTo(i.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	cfg := h.Looking(mirrors, log)
	cfg.Rendering = rendering
	inspector, err := inspect.Open(ctx, cfg)
	if err != nil {
		return nil, h.Explain(err)
	}
	return inspector, nil
}

// argoLook is what was found, and what the engine would make of it.
type argoLook struct {
	installation *takeover.Installation
	findings     []takeover.Finding
	comparisons  []takeover.Comparison
	sets         []takeover.SetComparison
}

// blockers are the reasons for which a takeover would not begin.
func (l *argoLook) blockers() []string {
	return takeover.Blockers(l.installation, l.comparisons, l.sets)
}

// look reads the installation and compares its applications. Where none is there,
// nothing can be taken over, and that is all there is to tell.
func (i *importFlags) look(ctx context.Context, h *target.Hub, inspector *inspect.Inspector) (*argoLook, error) {
	installation, err := inspector.Installation(ctx)
	if err != nil {
		return nil, h.Explain(err)
	}
	if len(installation.Engines()) == 0 {
		return nil, fmt.Errorf("there is no Argo CD in namespace %s; name its namespace with --namespace", installation.Namespace)
	}
	out := &argoLook{installation: installation, findings: takeover.Examine(installation)}
	if out.comparisons, err = inspector.Foretell(ctx, installation.Applications); err != nil {
		return nil, err
	}
	out.sets, err = inspector.ForetellSets(ctx, installation, out.comparisons)
	return out, err
}

// verdict is the end of a look: changes, or that something cannot be told.
func (l *argoLook) verdict() error {
	var failed, unexpanded int
	for j := range l.comparisons {
		if l.comparisons[j].Problem != "" {
			failed++
		}
	}
	for j := range l.sets {
		if l.sets[j].Problem != "" {
			unexpanded++
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%s cannot be compared", gitops.Count(failed, "application"))
	case unexpanded > 0:
		return fmt.Errorf("%s cannot be expanded", gitops.Count(unexpanded, "ApplicationSet"))
	case slices.ContainsFunc(l.sets, func(c takeover.SetComparison) bool { return len(c.Changes) > 0 }):
		return command.ErrChanges
	case slices.ContainsFunc(l.comparisons, func(c takeover.Comparison) bool { return !c.Same() }):
		return command.ErrChanges
	}
	return nil
}
