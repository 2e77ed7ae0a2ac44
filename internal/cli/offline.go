package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/source"
)

// offlineFlags are those of commands that look at a repository without a hub.
type offlineFlags struct {
	*global

	repo        string
	repoURLs    []string
	branches    []string
	roots       []string
	clusters    string
	changes     []string
	mirrors     []string
	locked      []string
	noFetch     bool
	cacheDir    string
	kubeVersion string
	apiVersions []string
	rendering   renderingFlags
}

func (o *offlineFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.repo, "repo", ".", "checkout to look at, or a folder in it: only what that declares counts then")
	f.StringArrayVar(&o.repoURLs, "repo-url", nil, "address of the checkout in Applications, besides those of its remotes; URL=FOLDER for a folder of it; can be repeated")
	f.StringArrayVar(&o.branches, "branch", nil, "targetRevision that means the looked-at revision, besides HEAD and the base's branch; can be repeated")
	f.StringArrayVar(&o.roots, "root", nil, "Application or ApplicationSet to start from: a name, Kind/name, file or folder; can be repeated (default: all that the repository declares)")
	f.StringVar(&o.clusters, "clusters", "", "clusters: a file or folder of cluster Secrets, a fleet file of `causeway export fleet`, a LocalFleet file, or a context of the kubeconfig (default: the Secrets in the repository)")
	f.StringArrayVar(&o.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; can be repeated")
	f.StringArrayVar(&o.locked, "mirror-dir", nil, "folder written by `causeway mirror`; can be repeated (default: .causeway/mirror if it is there)")
	f.BoolVar(&o.noFetch, "no-fetch", false, "read nothing over the network")
	f.StringVar(&o.cacheDir, "cache-dir", "", "folder that keeps what was fetched and rendered for the next run (default: causeway in the user's cache folder)")
	o.rendering.register(f)
	f.StringVar(&o.kubeVersion, "kube-version", defaultKubeVersion, "Kubernetes version of clusters that do not tell theirs")
	f.StringSliceVar(&o.apiVersions, "api-versions", nil, "API versions beyond Kubernetes' own that those clusters serve, as in monitoring.coreos.com/v1")
}

// checkout is an opened repository with what the flags say of its clusters.
type checkout struct {
	*app.Offline
	clusters app.Clusters
	// fixed is the roster of a kubeconfig context.
	fixed   *roster.Roster
	changes []roster.Cluster
}

// open opens the checkout. The caller closes it.
func (o *offlineFlags) open(ctx context.Context, branches ...string) (*checkout, error) {
	mirrors, err := parseMirrors(o.mirrors)
	if err != nil {
		return nil, err
	}
	log, err := logTo(o.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	cfg := app.OfflineConfig{
		Repo: o.repo, RepoURLs: map[string]string{}, Branches: append(branches, o.branches...), CacheDir: o.cacheFolder(), Mirrors: mirrors,
		Locked: o.lockedFolders(), NoFetch: o.noFetch, Namespace: o.namespace, Log: log,
	}
	if cfg.Rendering, err = o.rendering.load(cfg.CacheDir); err != nil {
		return nil, err
	}
	for _, u := range o.repoURLs {
		url, folder, _ := strings.Cut(u, "=")
		cfg.RepoURLs[url] = folder
	}
	s := &checkout{clusters: app.Clusters{Path: o.clusters, Facts: roster.Builtin(strings.TrimPrefix(o.kubeVersion, "v"), o.apiVersions...), Other: localFleet}}
	if err := o.fleetFile(&cfg); err != nil {
		return nil, err
	}
	if s.Offline, err = app.OpenOffline(ctx, cfg); err != nil {
		return nil, err
	}
	if err := o.complete(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// cacheFolder is the folder for fetched and rendered things.
func (o *offlineFlags) cacheFolder() string {
	if o.cacheDir != "" {
		return o.cacheDir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "" // a temporary one
	}
	return filepath.Join(base, "causeway", "preview")
}

func (o *offlineFlags) lockedFolders() []string {
	if o.locked != nil {
		return o.locked
	}
	if _, err := os.Stat(filepath.Join(o.repo, defaultMirror)); err == nil {
		return []string{filepath.Join(o.repo, defaultMirror)}
	}
	return nil
}

// defaultMirror is where `causeway mirror` writes when it is not told.
const defaultMirror = ".causeway/mirror"

// fleetFile takes the mirrors of a LocalFleet file over: those that lie in the
// checkout are followed at both revisions.
func (o *offlineFlags) fleetFile(cfg *app.OfflineConfig) error {
	text, err := os.ReadFile(o.clusters)
	if o.clusters == "" || err != nil || !isLocalFleet(text) {
		return nil //nolint:nilerr // what it is instead is found out later
	}
	file, err := local.Parse(o.clusters, text)
	if err != nil {
		return err
	}
	top, err := app.Toplevel(o.repo)
	if err != nil {
		return err
	}
	for url, folder := range file.Spec.Mirrors {
		full, err := filepath.Abs(filepath.Join(filepath.Dir(o.clusters), folder))
		if err != nil {
			return err
		}
		// Charts are read from the folder as it is; everything else of the
		// checkout as it is on each side.
		if rel, err := filepath.Rel(top, full); err == nil && filepath.IsLocal(rel) {
			cfg.RepoURLs[url] = filepath.ToSlash(rel)
		}
		m, err := source.ParseMirror(url + "=" + full)
		if err != nil {
			return err
		}
		cfg.Mirrors = append(cfg.Mirrors, m)
	}
	if o.namespace == "" {
		cfg.Namespace = file.Spec.Namespace
	}
	return nil
}

func isLocalFleet(text []byte) bool {
	return strings.Contains(string(text), "kind: "+local.Kind) && strings.Contains(string(text), local.APIVersion)
}

// localFleet reads the clusters of a LocalFleet file.
func localFleet(tree fs.FS, name string, text []byte) ([]*corev1.Secret, bool, error) {
	if !isLocalFleet(text) {
		return nil, false, nil
	}
	file, err := local.Parse(name, text)
	if err != nil {
		return nil, true, err
	}
	var out []*corev1.Secret
	for _, c := range file.Spec.Clusters {
		var written []byte
		if c.Secret != "" {
			if written, err = fs.ReadFile(tree, path.Join(path.Dir(name), filepath.ToSlash(c.Secret))); err != nil {
				return nil, true, fmt.Errorf("cannot read the Secret of cluster %s: %w", c.Name, err)
			}
		}
		secret, err := local.Describe(c, written, file.Spec.Namespace)
		if err != nil {
			return nil, true, err
		}
		out = append(out, secret)
	}
	return out, true, nil
}

// complete reads what does not depend on a side: the clusters of a context,
// and changed Secrets.
func (o *offlineFlags) complete(ctx context.Context, s *checkout) error {
	if _, err := os.Stat(o.clusters); o.clusters != "" && errors.Is(err, fs.ErrNotExist) {
		found, err := o.ofContext(ctx)
		if err != nil {
			return fmt.Errorf("cannot use --clusters %s: there is no such file, and no context of the kubeconfig that works: %w", o.clusters, err)
		}
		s.fixed = found
	}
	for _, name := range o.changes {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("cannot read --secret-change: %w", err)
		}
		changed, err := roster.FromSecrets(declared.Secrets(text), s.clusters.Facts)
		if err != nil {
			return fmt.Errorf("cannot use --secret-change %s: %w", name, err)
		}
		if len(changed.Clusters) == 0 {
			return fmt.Errorf("cannot use --secret-change %s: it has no Secret with the label argocd.argoproj.io/secret-type: cluster", name)
		}
		s.changes = append(s.changes, changed.Clusters...)
	}
	return nil
}

// ofContext reads the clusters that a hub knows.
func (o *offlineFlags) ofContext(ctx context.Context) (*roster.Roster, error) {
	g := *o.global
	g.context = o.clusters
	h, err := g.connect()
	if err != nil {
		return nil, err
	}
	log, err := logTo(o.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	found, silent, err := app.ExportRoster(ctx, app.Config{Hub: h.config, Namespace: h.namespace, Log: log})
	for _, e := range silent {
		_, _ = fmt.Fprintf(o.Err, "warning: %v; it is described by its Secret alone\n", e)
	}
	return &found, err
}

// side opens a revision with its clusters.
func (s *checkout) side(ctx context.Context, revision string, changed bool, branches ...string) (preview.Side, error) {
	side, err := s.Side(ctx, revision, roster.Roster{}, branches...)
	if err != nil {
		return side, err
	}
	if s.fixed != nil {
		side.Roster = *s.fixed
	} else if side.Roster, err = s.Roster(ctx, side, s.clusters); err != nil {
		return side, err
	}
	if !changed {
		return side, nil
	}
	for _, c := range s.changes {
		side.Roster = side.Roster.With(c)
	}
	return side, nil
}
