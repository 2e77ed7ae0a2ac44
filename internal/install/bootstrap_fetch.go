package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Arrived looks once more at what the roots deploy, where something of it was
// still to come when that was planned.
func (b *Bootstrap) Arrived(ctx context.Context, p *Plan) error {
	if len(b.Coming.Files) == 0 {
		return nil
	}
	return b.reachable(ctx, p, Coming{})
}

// reachable fetches what the roots deploy, with the credentials that the
// engine will have, and looks whether their folders are there, or coming.
func (b *Bootstrap) reachable(ctx context.Context, plan *Plan, coming Coming) error {
	if b.Unfetched {
		return nil
	}
	sources, done, err := b.sources(ctx, plan.repositories)
	if err != nil {
		return err
	}
	defer done()
	for _, p := range plan.places {
		err := b.look(ctx, sources, p)
		if missing := (*gitops.Problem)(nil); errors.As(err, &missing) && missing.Kind == gitops.NotFound && p.URL == b.Repository.URL && coming.to(p) {
			continue // so has an empty repository
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// look fetches what one root deploys.
func (b *Bootstrap) look(ctx context.Context, sources *source.Registry, p bootstrap.Place) error {
	snapshot, err := sources.Snapshot(ctx, gitops.SourceRef{RepoURL: p.URL, Revision: p.Revision, Project: "default"})
	if missing := (*gitops.Problem)(nil); errors.As(err, &missing) && missing.Kind == gitops.NotFound {
		// Whoever runs this has a flag, and no Application.
		named := *missing
		named.Fix = strings.Replace(named.Fix, "set targetRevision to", "with --revision name", 1)
		err = &named
	}
	if err != nil {
		return fmt.Errorf("nothing was written to the hub, because the repository of the root application %s cannot be read: %w; where only the cluster can reach it, add --no-fetch", p.Root, err)
	}
	_, err = snapshot.Tree.Stat(p.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gitops.Problemf(gitops.NotFound, "nothing was written to the hub, because the repository %s has no folder %s at %s for the root application %s", p.URL, p.Path, p.Revision, p.Root).
			Do(fmt.Sprintf("push the layout that --scaffold writes (--commit --push does), say where it is with --path or --annotation %s_repo_path=…, or leave the root out with --roots", p.Root))
	case err != nil:
		return fmt.Errorf("cannot look at %s in repository %s: %w", p.Path, p.URL, err)
	}
	return nil
}

// to reports whether the repository will have the folder of a root.
func (c Coming) to(p bootstrap.Place) bool {
	if c.Branch != "" && !slices.Contains([]string{"", "HEAD", c.Branch, "refs/heads/" + c.Branch}, p.Revision) {
		return false
	}
	return slices.ContainsFunc(c.Files, func(name string) bool { return p.Path == "." || strings.HasPrefix(name, p.Path+"/") })
}

// sources opens the first stage with the repositories that Secrets describe.
// A Secret that cannot be used is the engine's matter to complain of.
func (b *Bootstrap) sources(ctx context.Context, secrets []corev1.Secret) (_ *source.Registry, done func(), err error) {
	trust, err := hub.Trust(ctx, b.installer.client, b.namespace)
	if err != nil {
		return nil, nil, err
	}
	known, _ := hub.Access(secrets, trust)
	folder, err := os.MkdirTemp("", "causeway-bootstrap-")
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	// What is read are the roots that the person names, whose content goes nowhere:
	// nothing of it is rendered, so nothing in it names what is read besides.
	registry, err := source.New(source.Options{CacheDir: folder, Mirrors: b.Mirrors, Credentials: known, Permits: source.Everywhere, Log: b.Log})
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, nil, err
	}
	return registry, func() { _ = registry.Close(); _ = os.RemoveAll(folder) }, nil
}
