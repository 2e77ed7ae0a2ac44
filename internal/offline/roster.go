package offline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// Clusters is a file or folder that describes clusters: Secrets as YAML, or a
// fleet file. Inside of the checkout it is read at each side's revision.
type Clusters struct {
	// Path on this machine; empty for the Secrets that the repository declares.
	Path string
	// Facts of clusters of which nothing more is known.
	Facts gitops.Facts
	// Other reads files of another form; false when it does not know one.
	Other func(tree fs.FS, name string, text []byte) ([]declared.Cluster, bool, error)
	// Former hears of a fleet file that is written with the former API version.
	Former func(name string)
}

// Roster reads the clusters as they are on a side. A path that the side's
// revision does not have yet is read from this machine.
func (o *Stages) Roster(ctx context.Context, side preview.Side, c Clusters) (roster.Roster, error) {
	if c.Path == "" {
		return roster.FromFiles(side.Found.Clusters, c.Facts)
	}
	rel, inside, err := bounded.Within(o.local.Dir(), c.Path)
	if err != nil {
		return roster.Roster{}, fmt.Errorf("cannot read clusters: %w", err)
	}
	if name := filepath.ToSlash(rel); inside {
		if _, err := side.Repo.Tree.Stat(name); err == nil {
			return rosterAt(ctx, side.Repo.Tree, name, c)
		}
	}
	dir := o.local.Dir()
	if !inside {
		full, err := filepath.Abs(c.Path)
		if err != nil {
			return roster.Roster{}, err
		}
		dir, rel = filepath.Dir(full), filepath.Base(full)
	}
	out, err := rosterBelow(ctx, dir, filepath.ToSlash(rel), c)
	if err != nil {
		return out, fmt.Errorf("cannot read clusters from %s: %w", c.Path, err)
	}
	return out, nil
}

// MaxDescription bounds a file that describes clusters, or one of them, in bytes.
const MaxDescription = 32 << 20

// rosterBelow reads a file or folder of this machine, and nothing outside of
// the folder that it is in, whatever links say.
func rosterBelow(ctx context.Context, dir, name string, c Clusters) (roster.Roster, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return roster.Roster{}, err
	}
	defer func() { _ = root.Close() }()
	return rosterAt(ctx, bounded.FS(root, MaxDescription), name, c)
}

// rosterAt reads a file or folder of a tree.
func rosterAt(ctx context.Context, tree fs.FS, name string, c Clusters) (roster.Roster, error) {
	info, err := fs.Stat(tree, name)
	if err != nil {
		return roster.Roster{}, err
	}
	if !info.IsDir() {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return roster.Roster{}, err
		}
		return rosterOf(tree, name, text, c)
	}
	var secrets []declared.Cluster
	err = fs.WalkDir(walk.Over(ctx, tree), name, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if ext := path.Ext(at); ext != ".yaml" && ext != ".yml" && ext != ".json" {
			return nil
		}
		text, err := fs.ReadFile(tree, at)
		if err != nil {
			return err
		}
		found, err := declared.Secrets(at, text)
		secrets = append(secrets, found...)
		return err
	})
	if err != nil {
		return roster.Roster{}, err
	}
	if len(secrets) == 0 {
		return roster.Roster{}, noClusters(name)
	}
	return roster.FromFiles(secrets, c.Facts)
}

func rosterOf(tree fs.FS, name string, text []byte, c Clusters) (roster.Roster, error) {
	if roster.IsFile(text) {
		out, err := roster.Parse(text, c.Facts)
		if p, ok := errors.AsType[*gitops.Problem](err); ok {
			err = p.At(gitops.Origin{File: name})
		}
		for i := range out.Clusters {
			out.Clusters[i].Origin.File = name
		}
		if out.Former && c.Former != nil {
			c.Former(name)
		}
		return out, err
	}
	if c.Other != nil {
		secrets, ok, err := c.Other(tree, name, text)
		if err != nil {
			return roster.Roster{}, err
		}
		if ok {
			return roster.FromFiles(secrets, c.Facts)
		}
	}
	secrets, err := declared.Secrets(name, text)
	if err != nil {
		return roster.Roster{}, err
	}
	if len(secrets) == 0 {
		return roster.Roster{}, noClusters(name)
	}
	return roster.FromFiles(secrets, c.Facts)
}

func noClusters(name string) error {
	return gitops.Problemf(gitops.NotFound, "%s describes no cluster", name).
		Do("name a fleet file of causeway export fleet, or Secrets with the label " + v1alpha1.LabelSecretType + ": " + v1alpha1.SecretTypeCluster)
}
