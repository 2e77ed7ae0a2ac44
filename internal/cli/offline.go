package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
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
	schemas     []string
	mirrors     []string
	locked      []string
	noFetch     bool
	credentials credentialsFlag
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
	f.StringVar(&o.clusters, "clusters", "", "clusters: a file or folder of cluster Secrets, a fleet file of \"causeway export fleet\", a LocalFleet file, or a context of the kubeconfig (default: the Secrets in the repository)")
	f.StringArrayVar(&o.schemas, "metadata-schema", nil, "file with MetadataSchemas that clusters are checked against, besides those in the repository; can be repeated")
	f.StringArrayVar(&o.mirrors, "mirror", nil, "read the address URL from a local folder, as URL=PATH; one in the checkout counts as it is at each revision; can be repeated")
	f.StringArrayVar(&o.locked, "mirror-dir", nil, "folder written by \"causeway mirror\"; can be repeated (default: .causeway/mirror if it is there)")
	f.BoolVar(&o.noFetch, "no-fetch", false, "read nothing over the network")
	f.Var(&o.credentials, "credentials", credentialsUsage)
	f.StringVar(&o.cacheDir, "cache-dir", "", "folder that keeps what was fetched and rendered for the next run; one that Git tracks is refused (default: causeway in the user's cache folder)")
	o.rendering.register(f)
	f.StringVar(&o.kubeVersion, "kube-version", defaultKubeVersion, "Kubernetes version of clusters that do not tell theirs")
	f.StringSliceVar(&o.apiVersions, "api-versions", nil, "API versions beyond Kubernetes' own that those clusters serve, as in monitoring.coreos.com/v1")
}

// checkout is an opened repository with what the flags say of its clusters.
type checkout struct {
	*offline.Stages
	clusters offline.Clusters
	// fixed is the roster of a kubeconfig context.
	fixed   *roster.Roster
	changes []roster.Cluster
}

// open opens the checkout. The caller closes it.
func (o *offlineFlags) open(ctx context.Context) (*checkout, error) {
	if _, err := semver.NewVersion(o.kubeVersion); err != nil {
		return nil, usagef("cannot use --kube-version %q: write a version, as in %s", o.kubeVersion, defaultKubeVersion)
	}
	mirrors, err := steadyMirrors(o.mirrors)
	if err != nil {
		return nil, err
	}
	log, err := logTo(o.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	locked, err := o.lockedFolders()
	if err != nil {
		return nil, err
	}
	cfg := offline.Config{
		Repo: o.repo, RepoURLs: map[string]string{}, Branches: o.branches, CacheDir: o.cacheFolder(), Mirrors: mirrors,
		Locked: locked, NoFetch: o.noFetch, Namespace: o.namespace, Log: log,
	}
	if cfg.Rendering, err = o.rendering.load(cfg.CacheDir); err != nil {
		return nil, err
	}
	if cfg.Schemas, err = o.readSchemas(); err != nil {
		return nil, err
	}
	if cfg.Credentials, err = o.offlineCredentials(ctx, o.credentials); err != nil {
		return nil, err
	}
	for _, u := range o.repoURLs {
		url, folder := addressAndFolder(u)
		cfg.RepoURLs[url] = folder
	}
	s := &checkout{clusters: offline.Clusters{Path: o.clusters, Facts: roster.Builtin(strings.TrimPrefix(o.kubeVersion, "v"), o.apiVersions...), Other: localFleet, Former: o.formerFile()}}
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
func (o *offlineFlags) readSchemas() ([]declared.Schema, error) {
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

func (o *offlineFlags) lockedFolders() ([]string, error) {
	if o.locked != nil {
		return o.locked, steady("mirror-dir", o.locked...)
	}
	dir, err := o.mirrorFolder()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, nil //nolint:nilerr // it is not there, as a rule
	}
	return []string{dir}, nil
}

// mirrorFolder is where `causeway mirror` writes when it is not told: at the
// top of the checkout.
func (o *offlineFlags) mirrorFolder() (string, error) {
	top, err := offline.Toplevel(o.repo)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(top, filepath.FromSlash(defaultMirror))
	for at := dir; at != top; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			return "", fmt.Errorf("cannot use the mirror folder of the checkout: %s is no folder; name the one to use with --mirror-dir, or --to", at)
		}
	}
	return dir, nil
}

// defaultMirror is where `causeway mirror` writes when it is not told.
const defaultMirror = ".causeway/mirror"
