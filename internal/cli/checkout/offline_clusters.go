package checkout

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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// isLocalFleet reports whether a file describes a local fleet, as YAML or JSON. What cannot
// be read as either is one where it says so: who reads it tells what is wrong.
func isLocalFleet(text []byte) bool {
	if !strings.Contains(string(text), local.Kind) {
		return false
	}
	var is metav1.TypeMeta
	if err := yaml.Unmarshal(text, &is); err == nil {
		return is.Kind == local.Kind && (is.APIVersion == local.APIVersion || is.APIVersion == local.FormerAPIVersion)
	}
	return strings.Contains(string(text), "kind: "+local.Kind) &&
		(strings.Contains(string(text), local.APIVersion) || strings.Contains(string(text), local.FormerAPIVersion))
}

// Former says how to write a file whose API version is deprecated.
func Former(g *command.Global, name string) {
	_, _ = fmt.Fprintf(g.Err, "warning: %s: apiVersion %s is deprecated; write %s\n", name, local.FormerAPIVersion, local.APIVersion)
}

// formerFile says it once: a file is read for each side of a comparison.
func formerFile(g *command.Global) func(name string) {
	said := map[string]bool{}
	return func(name string) {
		if !said[name] {
			Former(g, name)
		}
		said[name] = true
	}
}

// localFleet reads the clusters of a LocalFleet file.
func localFleet(tree fs.FS, name string, text []byte) ([]declared.Cluster, bool, error) {
	if !isLocalFleet(text) {
		return nil, false, nil
	}
	file, err := local.Parse(name, text)
	if err != nil {
		return nil, true, err
	}
	if file.Spec.Undescribed {
		return nil, true, fmt.Errorf("%s does not describe its clusters: something else does (undescribed: true), name that", name)
	}
	var out []declared.Cluster
	for _, c := range file.Spec.Clusters {
		var written []byte
		place := declared.Place{File: name}
		if c.Secret != "" {
			place = declared.Place{File: path.Join(path.Dir(name), filepath.ToSlash(c.Secret)), Line: 1}
			if written, err = fs.ReadFile(tree, place.File); err != nil {
				return nil, true, fmt.Errorf("cannot read the Secret of cluster %s: %w", c.Name, err)
			}
		}
		secret, err := local.Describe(c, written, file.Spec.Namespace)
		if err != nil {
			return nil, true, err
		}
		out = append(out, declared.Cluster{Secret: secret, Place: place})
	}
	return out, true, nil
}

// complete reads what does not depend on a side: the clusters of a context,
// and changed Secrets.
func (o *Flags) complete(ctx context.Context, s *Checkout) error {
	if _, err := os.Stat(o.Clusters); o.Clusters != "" && errors.Is(err, fs.ErrNotExist) {
		found, err := o.ofContext(ctx)
		if err != nil {
			return fmt.Errorf("cannot use --clusters %s: there is no such file, and no context of the kubeconfig that works: %w", o.Clusters, err)
		}
		s.fixed = found
	}
	for _, name := range o.Changes {
		text, err := o.read(name)
		if err != nil {
			return fmt.Errorf("cannot read --secret-change: %w", err)
		}
		secrets, err := declared.Secrets(name, text)
		if err != nil {
			return fmt.Errorf("cannot use --secret-change: %w", err)
		}
		changed := roster.Roster{}.Described(secrets, s.clusters.Facts)
		if len(changed.Clusters) == 0 {
			return fmt.Errorf("cannot use --secret-change %s: it has no Secret with the label argocd.argoproj.io/secret-type: cluster", name)
		}
		s.changes = append(s.changes, changed.Clusters...)
	}
	return nil
}

// ofContext reads the clusters that a hub knows.
func (o *Flags) ofContext(ctx context.Context) (*roster.Roster, error) {
	g := *o.Global
	g.Context = o.Clusters
	h, err := target.Connect(&g)
	if err != nil {
		return nil, err
	}
	log, err := command.LogTo(o.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	found, silent, err := inspect.Roster(ctx, h.Looking(nil, log))
	for _, e := range silent {
		_, _ = fmt.Fprintf(o.Err, "warning: %v; it is described by its Secret alone\n", e)
	}
	return &found, err
}

// SideOf opens a revision with the clusters as they are there.
func (s *Checkout) SideOf(ctx context.Context, revision string, branches ...string) (preview.Side, error) {
	side, err := s.Side(ctx, revision, roster.Roster{}, branches...)
	if err != nil {
		return side, err
	}
	if s.fixed != nil {
		side.Roster = *s.fixed
		return side, nil
	}
	side.Roster, err = s.Roster(ctx, side, s.clusters)
	return side, err
}

// ChangedSide is a side with the Secrets that --secret-change names.
func (s *Checkout) ChangedSide(ctx context.Context, revision string, branches ...string) (preview.Side, error) {
	side, err := s.SideOf(ctx, revision, branches...)
	for _, c := range s.changes {
		side.Roster = side.Roster.With(c)
	}
	if err != nil {
		return side, err
	}
	return side, side.Roster.Check()
}

// At opens a revision together with its branch; the default branch is what
// Applications of a repository mostly name.
func (o *Flags) At(ctx context.Context, c *Checkout, revision string) (preview.Side, error) {
	base, err := c.DefaultBase(ctx)
	if err != nil {
		return preview.Side{}, err
	}
	branch, err := BranchOf(ctx, c, base)
	if err != nil {
		return preview.Side{}, err
	}
	return c.ChangedSide(ctx, revision, branch)
}
