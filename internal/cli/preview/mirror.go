package preview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/source/lockfile"
)

type mirrorFlags struct {
	checkout.Flags

	to       string
	revision string
	frozen   bool
	verify   bool
	prune    bool
}

// NewMirror returns the command mirror.
func NewMirror(g *command.Global) *cobra.Command {
	m := &mirrorFlags{Flags: checkout.Flags{Global: g}}
	cmd := &cobra.Command{
		Use:   "mirror",
		Short: "Fetch every remote chart, base and repository that a repository needs, locked by digest",
		Long: "Expand and render everything that a repository declares, for every cluster, and keep what it reads from\n" +
			"elsewhere in a folder, with a lock file that says what each reference was and what its content is.\n" +
			"Previews with the folder need no network. Commit " + lockfile.Name + " and cache the rest, or cache all.",
		Example: "  causeway mirror --clusters fleet.yaml\n  causeway mirror --frozen        # what the lock says, and nothing else\n  causeway preview --no-fetch --clusters fleet.yaml",
		Args:    command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.Emptied(cmd.Flags(), "to", "revision"); err != nil {
				return err
			}
			return m.run(cmd.Context())
		},
	}
	m.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&m.to, "to", "", "folder to write (default: "+checkout.DefaultMirror+" in the checkout)")
	f.StringVar(&m.revision, "revision", "", "revision to look at (default: the work tree)")
	f.BoolVar(&m.frozen, "frozen", false, "fetch what the lock names and is not in the folder; content that differs from the lock is an error")
	f.BoolVar(&m.verify, "verify", false, "only check that the folder holds what the lock says")
	f.BoolVar(&m.prune, "prune", false, "remove from the folder what the repository does not need any more")
	return cmd
}

func (m *mirrorFlags) run(ctx context.Context) error {
	if m.frozen && m.verify || m.frozen && m.prune || m.verify && m.prune {
		return command.Usagef("cannot take more than one of --frozen, --verify and --prune")
	}
	if m.to == "" {
		to, err := m.MirrorFolder()
		if err != nil {
			return err
		}
		m.to = to
	}
	if err := command.Steady("to", m.to); err != nil {
		return err
	}
	folder, err := lockfile.Open(m.to, lockfile.Settings{})
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	switch {
	case m.verify:
		return m.check(ctx, folder)
	case m.frozen:
		return m.restore(ctx, folder)
	}
	return m.fill(ctx, folder)
}

func (m *mirrorFlags) check(ctx context.Context, folder *lockfile.Mirror) error {
	if _, err := os.Lstat(filepath.Join(folder.Dir(), lockfile.Name)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no %s, so that there is nothing to check: name the folder with --to, or make it with causeway mirror", folder.Dir(), lockfile.Name)
	}
	if err := folder.Verify(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintf(m.Out, "%s in %s, all as locked\n", gitops.Count(len(folder.References()), "reference"), folder.Dir())
	return err
}

// fill fetches all that the repository needs, and locks it as it is now.
func (m *mirrorFlags) fill(ctx context.Context, folder *lockfile.Mirror) error {
	m.Locked = []string{} // what is locked already is looked up anew
	c, err := m.Open(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	found, err := m.needed(ctx, c)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	added, err := folder.Add(ctx, c.Fetched()...)
	for _, r := range added {
		keep[r.String()] = true
		_, _ = fmt.Fprintln(m.Out, screen.Line(fmt.Sprintf("%s → %s", r, r.Resolved)))
	}
	if err != nil {
		return err
	}
	if err := m.drop(ctx, folder, keep, found); err != nil {
		return err
	}
	return m.tell(folder, found)
}

// needed renders everything, so that everything is asked for.
func (m *mirrorFlags) needed(ctx context.Context, c *checkout.Checkout) (*preview.Report, error) {
	progress := command.NewProgress(m.Err)
	defer progress.End()
	side, err := m.At(ctx, c, m.revision)
	if err != nil {
		return nil, err
	}
	return preview.Lint(ctx, side, preview.Options{Namespace: m.Namespace, Roots: m.Roots, Progress: progress.Show})
}

// drop removes what is not needed, unless something could not be told.
func (m *mirrorFlags) drop(ctx context.Context, folder *lockfile.Mirror, keep map[string]bool, found *preview.Report) error {
	if !m.prune {
		return nil
	}
	if len(found.Failures)+len(found.Missing) > 0 {
		return errors.New("cannot prune: not everything could be rendered, so what is needed is not known; mend the errors (causeway lint) first")
	}
	gone, err := folder.Prune(ctx, func(r lockfile.Reference) bool { return keep[r.String()] })
	for _, r := range gone {
		_, _ = fmt.Fprintf(m.Out, "%s removed\n", r)
	}
	return err
}

func (m *mirrorFlags) tell(folder *lockfile.Mirror, found *preview.Report) error {
	for _, f := range found.Failures {
		_, _ = fmt.Fprintf(m.Err, "error: %s: %s%s\n", place(f), screen.Words(f.Message), onClusters(f))
	}
	for _, x := range found.Missing {
		_, _ = fmt.Fprintf(m.Err, "error: %s\n", screen.Words(x.Message))
	}
	_, err := fmt.Fprintf(m.Out, "%s in %s\n", gitops.Count(len(folder.References()), "reference"), folder.Dir())
	if err == nil && len(found.Failures)+len(found.Missing) > 0 {
		return command.ErrSaid
	}
	return err
}

// restore fetches what the lock names, at the revisions that it names.
func (m *mirrorFlags) restore(ctx context.Context, folder *lockfile.Mirror) error {
	m.Locked = []string{}
	c, err := m.Open(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, r := range folder.Missing() {
		revision := r.Resolved
		snap, err := c.Fetch(ctx, gitops.SourceRef{RepoURL: r.RepoURL, Chart: r.Chart, Revision: revision})
		if err != nil {
			return fmt.Errorf("cannot fetch %s: %w", r, err)
		}
		if err := folder.Restore(ctx, r, snap); err != nil {
			return err
		}
		_, _ = fmt.Fprintln(m.Out, screen.Line(fmt.Sprintf("%s → %s", r, r.Resolved)))
	}
	_, err = fmt.Fprintf(m.Out, "%s in %s, all as locked\n", gitops.Count(len(folder.References()), "reference"), folder.Dir())
	return err
}
