package checkout

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// Flags are those of commands that look at a repository without a hub.
type Flags struct {
	*command.Global

	Repo        string
	repoURLs    []string
	branches    []string
	Roots       []string
	Clusters    string
	Changes     []string
	schemas     []string
	Mirrors     []string
	Locked      []string
	noFetch     bool
	credentials CredentialsFlag
	cacheDir    string
	kubeVersion string
	apiVersions []string
	rendering   RenderingFlags
}

// Register adds the flags to a command.
func (o *Flags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Repo, "repo", ".", "checkout to look at, or a folder in it: only what that declares counts then")
	f.StringArrayVar(&o.repoURLs, "repo-url", nil, "address of the checkout in Applications, besides those of its remotes; URL=FOLDER for a folder of it; can be repeated")
	f.StringArrayVar(&o.branches, "branch", nil, "targetRevision that means the looked-at revision, besides HEAD and the base's branch; can be repeated")
	f.StringArrayVar(&o.Roots, "root", nil, "Application or ApplicationSet to start from: a name, Kind/name, file or folder; can be repeated (default: all that the repository declares)")
	f.StringVar(&o.Clusters, "clusters", "", "clusters: a file or folder of cluster Secrets, a fleet file of \"causeway export fleet\", a LocalFleet file, or a context of the kubeconfig (default: the Secrets in the repository)")
	f.StringArrayVar(&o.schemas, "metadata-schema", nil, "file with MetadataSchemas that clusters are checked against, besides those in the repository; can be repeated")
	f.StringArrayVar(&o.Mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; one in the checkout counts as it is at each revision; can be repeated")
	f.StringArrayVar(&o.Locked, "mirror-dir", nil, "folder written by \"causeway mirror\"; can be repeated (default: .causeway/mirror if it is there)")
	f.BoolVar(&o.noFetch, "no-fetch", false, "read nothing over the network")
	f.Var(&o.credentials, "credentials", CredentialsUsage)
	f.StringVar(&o.cacheDir, "cache-dir", "", "folder that keeps what was fetched and rendered for the next run; one that Git tracks is refused (default: causeway in the user's cache folder)")
	o.rendering.Register(f)
	f.StringVar(&o.kubeVersion, "kube-version", DefaultKubeVersion, "Kubernetes version of clusters that do not report one")
	f.StringSliceVar(&o.apiVersions, "api-versions", nil, "API versions beyond Kubernetes' own that those clusters serve, as in monitoring.coreos.com/v1")
}

// Checkout is an opened repository with what the flags say of its clusters.
type Checkout struct {
	*offline.Stages
	clusters offline.Clusters
	// fixed is the roster of a kubeconfig context.
	fixed   *roster.Roster
	changes []roster.Cluster
}

// Open opens the checkout. The caller closes it.
func (o *Flags) Open(ctx context.Context) (*Checkout, error) {
	if _, err := semver.NewVersion(o.kubeVersion); err != nil {
		return nil, command.Usagef("cannot use --kube-version %q: write a version, as in %s", o.kubeVersion, DefaultKubeVersion)
	}
	mirrors, err := command.SteadyMirrors(o.Mirrors)
	if err != nil {
		return nil, err
	}
	log, err := command.LogTo(o.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	locked, err := o.lockedFolders()
	if err != nil {
		return nil, err
	}
	cfg := offline.Config{
		Repo: o.Repo, RepoURLs: map[string]string{}, Branches: o.branches, CacheDir: o.cacheFolder(), Mirrors: mirrors,
		Locked: locked, NoFetch: o.noFetch, Namespace: o.Namespace, Log: log,
	}
	if cfg.Rendering, err = o.rendering.Load(cfg.CacheDir); err != nil {
		return nil, err
	}
	if cfg.Schemas, err = o.readSchemas(); err != nil {
		return nil, err
	}
	if cfg.Credentials, err = Credentials(ctx, o.Global, o.credentials); err != nil {
		return nil, err
	}
	for _, u := range o.repoURLs {
		url, folder := addressAndFolder(u)
		cfg.RepoURLs[url] = folder
	}
	s := &Checkout{clusters: offline.Clusters{Path: o.Clusters, Facts: roster.Builtin(strings.TrimPrefix(o.kubeVersion, "v"), o.apiVersions...), Other: localFleet, Former: formerFile(o.Global)}}
	if err := o.fleetFile(&cfg); err != nil {
		return nil, err
	}
	if s.Stages, err = offline.Open(ctx, cfg); err != nil {
		return nil, err
	}
	if err := o.complete(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// readSchemas reads the files of --metadata-schema.
func (o *Flags) readSchemas() ([]declared.Schema, error) {
	var out []declared.Schema
	for _, name := range o.schemas {
		text, err := o.read(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read --metadata-schema: %w", err)
		}
		found, err := declared.Schemas(name, text)
		if err != nil {
			return nil, fmt.Errorf("cannot use --metadata-schema: %w", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// addressAndFolder splits URL=FOLDER; without a folder the address stands for
// the whole checkout. A folder after an address with a query is cut at the
// last equals sign.
func addressAndFolder(text string) (url, folder string) {
	i := strings.LastIndex(text, "=")
	if i < 0 {
		return text, "."
	}
	return text[:i], text[i+1:]
}

// cacheFolder is the folder for fetched and rendered things.
func (o *Flags) cacheFolder() string {
	if o.cacheDir != "" {
		return o.cacheDir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "" // a temporary one
	}
	return filepath.Join(base, "causeway", "preview")
}

func (o *Flags) lockedFolders() ([]string, error) {
	if o.Locked != nil {
		return o.Locked, command.Steady("mirror-dir", o.Locked...)
	}
	dir, err := o.MirrorFolder()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, nil //nolint:nilerr // it is not there, as a rule
	}
	return []string{dir}, nil
}

// MirrorFolder is where `causeway mirror` writes when it is not told: at the
// top of the checkout.
func (o *Flags) MirrorFolder() (string, error) {
	top, err := offline.Toplevel(o.Repo)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(top, filepath.FromSlash(DefaultMirror))
	for at := dir; at != top; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			return "", fmt.Errorf("cannot use the mirror folder of the checkout: %s is no folder; name the one to use with --mirror-dir, or --to", at)
		}
	}
	return dir, nil
}

// DefaultMirror is where `causeway mirror` writes when it is not told.
const DefaultMirror = ".causeway/mirror"

// BranchOf is the branch that Applications mean by its name: that of the base,
// or the default one where the base is a commit that no branch ends at.
func BranchOf(ctx context.Context, c *Checkout, base string) (string, error) {
	branch, err := c.BranchOf(ctx, base)
	if err != nil || branch != "" {
		return branch, err
	}
	return c.DefaultBranch(ctx)
}

// DefaultKubeVersion is what charts see when there is no cluster to ask.
const DefaultKubeVersion = "1.36.0"
