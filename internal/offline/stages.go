package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/disk"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Config says what is known where there is no hub.
type Config struct {
	// Repo is the checkout that is looked at, or a folder in it, of which
	// alone the declarations count then; empty for none.
	Repo string
	// RepoURLs are addresses of the checkout besides those of its remotes,
	// each with the folder of the checkout that it stands for.
	RepoURLs map[string]string
	// Branches are names that mean the looked-at revision, besides HEAD and
	// the branch that it is compared with.
	Branches []string
	// CacheDir keeps what was fetched and rendered; a temporary folder when empty.
	CacheDir string
	Mirrors  []source.Mirror
	// Rendering has plugins, keys and where renderings are kept.
	Rendering hub.Rendering
	// Locked are folders written by `causeway mirror`.
	Locked []string
	// Schemas are rules of clusters' metadata besides those of the checkout.
	Schemas []declared.Schema
	// NoFetch reads nothing over the network.
	NoFetch bool
	// Credentials are what private repositories are opened with.
	Credentials Credentials
	// Namespace of the engine's objects; argocd when empty.
	Namespace string
	Log       *slog.Logger
}

// Stages are the first stages without a hub, for a repository on this machine.
type Stages struct {
	cfg     Config
	sources *source.Registry
	local   *source.Local
	render  *render.Renderer
	kept    *disk.Store
	reader  *declared.Reader
	names   repoNames
	fetched fetched
	// folder is Repo inside of the checkout.
	folder   string
	temporal string
}

// Open opens the repository. Close ends it.
func Open(ctx context.Context, cfg Config) (*Stages, error) {
	if cfg.Repo == "" {
		return nil, errors.New("cannot open a repository: its folder is empty; name it with --repo")
	}
	o, err := openSources(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := o.openRepo(ctx); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// openSources opens everything but the repository.
func openSources(ctx context.Context, cfg Config) (*Stages, error) {
	cfg.Namespace = cmp.Or(cfg.Namespace, hub.DefaultNamespace)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	o := &Stages{cfg: cfg, reader: declared.NewReader()}
	if err := o.openCache(ctx); err != nil {
		o.Close()
		return nil, err
	}
	cfg.Rendering.Offline = cfg.Rendering.Offline || cfg.NoFetch
	o.kept = cfg.Rendering.Store(cfg.Log)
	o.render = hub.NewRenderer(cfg.Log, o.sources, cfg.Rendering, hub.NewOwnFiles(cfg.Mirrors), o.kept)
	return o, nil
}

// openCache opens the folder of what was fetched, a temporary one where none is named.
func (o *Stages) openCache(ctx context.Context) (err error) {
	if o.cfg.CacheDir == "" {
		if o.temporal, err = os.MkdirTemp("", "causeway-offline-"); err != nil {
			return fmt.Errorf("cannot make a temporary folder: %w", err)
		}
		o.cfg.CacheDir = o.temporal
	} else if err := checkCache(ctx, o.cfg.CacheDir); err != nil {
		return err
	}
	// There is no hub that says what a project permits, and a checkout says that
	// for itself: what it may have read is what its person opens by Credentials.
	o.sources, err = source.New(o.cfg.Credentials.options(source.Options{
		CacheDir: filepath.Join(o.cfg.CacheDir, "sources"), Interval: hub.DefaultInterval, Mirrors: o.cfg.Mirrors,
		Locked: o.cfg.Locked, Offline: o.cfg.NoFetch, NoFolders: true, Permits: source.Everywhere, Log: o.cfg.Log,
	}))
	return err
}

func (o *Stages) openRepo(ctx context.Context) (err error) {
	if o.local, err = source.OpenLocal(o.cfg.Repo, filepath.Join(o.cfg.CacheDir, "local")); err != nil {
		return err
	}
	remotes, err := o.local.Remotes(ctx)
	if err != nil {
		return err
	}
	o.names = newRepoNames(remotes, o.cfg.RepoURLs)
	o.folder, err = o.Inside(o.cfg.Repo)
	return err
}

// Inside is where a file or folder of this machine lies in the checkout, with
// slashes; an error when it is elsewhere.
func (o *Stages) Inside(name string) (string, error) {
	rel, inside, err := bounded.Within(o.local.Dir(), name)
	if err == nil && !inside {
		err = fmt.Errorf("%s is outside the checkout %s", name, o.local.Dir())
	}
	return filepath.ToSlash(rel), err
}

// Close gives the cache free and removes what is not kept.
func (o *Stages) Close() {
	if o.render != nil {
		o.render.Close()
	}
	if o.kept != nil {
		o.kept.Close()
	}
	if o.local != nil {
		_ = o.local.Close()
	}
	if o.sources != nil {
		_ = o.sources.Close()
	}
	if o.temporal != "" {
		_ = os.RemoveAll(o.temporal)
	}
}

// Side opens the repository at a revision, or its work tree with uncommitted
// edits when the revision is empty. The branches are names in the
// repository's own Applications that mean this revision.
func (o *Stages) Side(ctx context.Context, revision string, fleet roster.Roster, branches ...string) (preview.Side, error) {
	snap, err := o.at(ctx, revision)
	if err != nil {
		return preview.Side{}, err
	}
	out := preview.Side{Revision: cmp.Or(revision, "work tree"), Commit: snap.Revision, Repo: snap, Roster: fleet}
	if snap.Commit != nil {
		out.Title = snap.Commit.Message
	}
	sources := &sideSources{offline: o, snap: snap, branches: moving(branches, o.cfg.Branches)}
	out.Sources, out.Moves = sources, sources.moves
	out.Locate, out.Addresses = o.within(ctx, snap.Tree), o.names.addresses()
	if out.Found, err = o.reader.Read(ctx, snap.Tree, o.folder); err != nil {
		return out, err
	}
	out.Found = withFiltered(out.Found, o.local.Filtered(snap.Revision))
	check := refusing{Renderer: o.render}
	if n := len(out.Found.Settings); n > 0 {
		data := out.Found.Settings[n-1].Data
		out.Settings = hub.ParseSettings(data)
		// What cannot be read is told by each application, as the engine does it.
		check.comparing, _ = plan.ParseSettings(data)
	}
	if n := len(out.Found.Params); n > 0 {
		out.DoublestarFiles = hub.Params(out.Found.Params[n-1].Data).DoublestarFiles()
	}
	out.Renderer = check
	out.Rules, err = rulesOf(slices.Concat(out.Found.Schemas, o.cfg.Schemas))
	return out, err
}

// withFiltered warns of files that Git would keep as something else.
func withFiltered(found *declared.Found, files []string) *declared.Found {
	if len(files) == 0 {
		return found
	}
	out := *found
	out.Warnings = slices.Clone(found.Warnings)
	for _, file := range files {
		out.Warnings = append(out.Warnings, gitops.Warning{
			Reason: "FilteredFile", Origin: gitops.Origin{File: file},
			Message: "the edited file has a filter of Git (.gitattributes), which is not run: it counts as it stands in the work tree; commit it to see it as Git keeps it",
		})
	}
	return &out
}

// at is the repository at a revision; its work tree when that is empty.
func (o *Stages) at(ctx context.Context, revision string) (*gitops.Snapshot, error) {
	if revision == "" {
		return o.local.Worktree(ctx)
	}
	return o.local.Snapshot(ctx, revision)
}

// DefaultBranch is the branch that the repository's hosts show first; empty
// when it is not known.
func (o *Stages) DefaultBranch(ctx context.Context) (string, error) {
	return o.local.DefaultBranch(ctx)
}

// MergeBase is the commit at which two revisions parted.
func (o *Stages) MergeBase(ctx context.Context, a, b string) (string, error) {
	return o.local.MergeBase(ctx, a, b)
}

// DefaultBase is what changes are compared with when nobody says: the default
// branch as origin has it, or HEAD.
func (o *Stages) DefaultBase(ctx context.Context) (string, error) {
	branch, err := o.local.DefaultBranch(ctx)
	if err != nil {
		return "", err
	}
	if _, err := o.local.Snapshot(ctx, "origin/"+branch); err == nil && branch != "" {
		return "origin/" + branch, nil
	}
	return "HEAD", nil
}

// BranchOf is the branch that a revision is, empty when it is none.
func (o *Stages) BranchOf(ctx context.Context, revision string) (string, error) {
	return o.local.BranchOf(ctx, revision)
}

// Render renders an application for a cluster of which only the facts are
// known, if the engine would apply what comes of it.
func (o *Stages) Render(ctx context.Context, app *v1alpha1.Application, facts gitops.Facts) (*gitops.Rendering, error) {
	in, err := hub.RenderInput(ctx, o.sources, o.cfg.Namespace, app, facts)
	if err != nil {
		return nil, err
	}
	in.Settings = o.cfg.Rendering.Settings
	out, err := o.render.Application(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, Refusal(app, out, nil)
}

// OpenMirrors is Open without a repository.
func OpenMirrors(ctx context.Context, cfg Config) (*Stages, error) {
	return openSources(ctx, cfg)
}

// Toplevel is the folder of the checkout that a folder belongs to, without
// links; the folder itself when it belongs to none.
func Toplevel(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return cmp.Or(source.Top(full), full), nil
}

// Fetch reads a source that is not the checkout.
func (o *Stages) Fetch(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	return o.sources.Snapshot(ctx, ref)
}
