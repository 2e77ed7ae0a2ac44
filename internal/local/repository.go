package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// Flags put a fleet together without a LocalFleet file, for a repository that
// exists already.
type Flags struct {
	// Repo is the repository's folder; relative paths below count from it.
	Repo string
	// Clusters beside the hub.
	Clusters []string
	// Secrets are the files that describe clusters; the name in each says which.
	Secrets []string
	// Apply are files and folders of manifests for the hub.
	Apply []string
	// Namespace of the engine's objects.
	Namespace string
}

// hubName is the name of the hub of a fleet without a file.
const hubName = "hub"

// FromFlags makes the fleet that flags ask for. The repository stands in for
// the addresses of its own remotes, with its uncommitted edits.
func FromFlags(ctx context.Context, flags Flags) (*Fleet, error) {
	dir, err := filepath.Abs(flags.Repo)
	if err != nil {
		return nil, fmt.Errorf("cannot use --repo %s: %w", flags.Repo, err)
	}
	fleet := &Fleet{
		Name: nameOf(dir), Namespace: cmp.Or(flags.Namespace, DefaultNamespace),
		Clusters: []Cluster{{Name: hubName, Hub: true}},
	}
	for _, name := range flags.Clusters {
		if name != hubName {
			fleet.Clusters = append(fleet.Clusters, Cluster{Name: name})
		}
	}
	for _, path := range flags.Secrets {
		if err := fleet.describe(found(dir, path)); err != nil {
			return nil, err
		}
	}
	for _, path := range flags.Apply {
		fleet.Apply = append(fleet.Apply, found(dir, path))
	}
	fleet.Mirrors = remotes(ctx, dir)
	if err := fleet.check(); err != nil {
		return nil, fmt.Errorf("cannot make a fleet for %s: %w", flags.Repo, err)
	}
	return fleet, nil
}

// found prefers the repository's file to one of the working folder.
func found(dir, path string) string {
	inside := under(dir, path)
	if exists("", inside) == nil {
		return inside
	}
	if abs, err := filepath.Abs(path); err == nil && exists("", abs) == nil {
		return abs
	}
	return inside
}

// describe gives a Secret's file to the cluster that it names.
func (f *Fleet) describe(path string) error {
	text, err := bounded.File(path, maxFile)
	if err != nil {
		return fmt.Errorf("cannot read --secret: %w", err)
	}
	secret, err := parseSecret(text)
	if err != nil {
		return fmt.Errorf("cannot read --secret %s: %w", path, err)
	}
	names := []string{secret.Name, secret.StringData["name"], string(secret.Data["name"]), secret.Labels["cluster_name"]}
	for _, name := range names {
		for i := range f.Clusters {
			c := &f.Clusters[i]
			if c.Name != name {
				continue
			}
			if c.Secret != "" && c.Secret != path {
				return fmt.Errorf("cannot use --secret %s: it describes the cluster %s, which %s describes already; take one of them out", path, name, c.Secret)
			}
			c.Secret = path
			return nil
		}
	}
	return fmt.Errorf("cannot use --secret %s: it describes %q, which is none of the clusters; add it to --clusters", path, secret.Name)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf makes a name of a folder's.
func nameOf(dir string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(filepath.Base(dir)), "-"), "-")
	return cmp.Or(strings.TrimRight(name[:min(len(name), 40)], "-"), "fleet")
}

// remotes makes mirrors of the addresses of a checkout's remotes. A folder
// without Git has none.
func remotes(ctx context.Context, dir string) []mirror.Mirror {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "config", "--get-regexp", `^remote\..*\.url$`).Output()
	if err != nil {
		return nil
	}
	var all []mirror.Mirror
	for line := range strings.Lines(string(out)) {
		_, url, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		if m, err := mirror.Parse(url + "=" + dir + "?worktree"); err == nil {
			all = append(all, m)
		}
	}
	return all
}

// ErrNothingToDo says that a fleet would only be empty clusters.
var ErrNothingToDo = errors.New("there is nothing to apply: give --apply with the files that start the fleet, such as the bootstrap ApplicationSets")
