package preview

import (
	"context"
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// moves reports whether an address may lead to something else on either side. Where
// nothing is read by an address of the repository itself, each may be one of it.
func (c *comparison) moves(repoURL, revision string) bool {
	before, after := c.before.Side.Moves, c.after.Side.Moves
	return before == nil || after == nil || c.elsewhere ||
		before(repoURL, revision) || after(repoURL, revision)
}

// untouched reports whether an application that neither side can render is
// certain to be as it was: what cannot be read is not what the change moves.
func (c *comparison) untouched(ctx context.Context, p *pair) bool {
	if p.base == nil || p.head == nil || !sameApp(p.base, p.head) {
		return false
	}
	before, after := c.before.input(p.base, c.options.Namespace), c.after.input(p.head, c.options.Namespace)
	before.Snapshots, after.Snapshots = c.snapshots(ctx, c.before, p.base), c.snapshots(ctx, c.after, p.head)
	sources := p.head.Spec.GetSources()
	for i := range sources {
		if after.Snapshots[i] == nil && sources[i].Chart == "" && c.moves(sources[i].RepoURL, sources[i].TargetRevision) {
			return false
		}
	}
	return c.after.Side.Renderer.Untouched(ctx, before, after, c.addresses)
}

// snapshots are those of an application's sources, nil for one that cannot be
// read. Where nobody knows the cluster none was read yet: of those, the ones
// that the change may move are.
func (c *comparison) snapshots(ctx context.Context, s *State, a *App) []*gitops.Snapshot {
	sources := a.Spec.GetSources()
	if len(a.Snapshots) == len(sources) {
		return a.Snapshots
	}
	out := make([]*gitops.Snapshot, len(sources))
	for i := range sources {
		if ref := gitops.SourceOf(a.Application, &sources[i], sources[i].TargetRevision); c.moves(ref.RepoURL, ref.Revision) {
			out[i], _ = s.Side.Sources.Snapshot(ctx, ref) // without one nothing is certain
		}
	}
	return out
}

// sets counts the sets that head cannot expand, and that may give something else
// than before. What asks hosts or plugins can be told by no preview: it is unknown,
// and nothing that the change broke.
func (c *comparison) sets(ctx context.Context, into *forecast.Summary) {
	for id, set := range c.after.Sets {
		if set.Err == nil {
			continue
		}
		generators, err := tree(set.Spec.Generators)
		switch {
		case err == nil && c.sameSet(ctx, c.before.Sets[id], set, generators):
		case err == nil && holds(generators, "scmProvider", "pullRequest", "plugin", "clusterDecisionResource"):
			into.Unknown++
		default:
			into.Untold++
		}
	}
}

// sameSet reports whether a set, and what its generators read of what the change
// moves, is certain to be as it was.
func (c *comparison) sameSet(ctx context.Context, was, is *Set, generators any) bool {
	if was == nil || !reflect.DeepEqual(was.Spec, is.Spec) || !sameMeta(was.ObjectMeta, is.ObjectMeta) {
		return false
	}
	otherClusters := len(c.metadata) > 0 || !slices.Equal(c.before.Side.Roster.Names(), c.after.Side.Roster.Names())
	if otherClusters && holds(generators, "clusters", "clusterDecisionResource") {
		return false
	}
	if c.before.Side.DoublestarFiles != c.after.Side.DoublestarFiles && holds(generators, "files") {
		return false
	}
	return c.sameFiles(ctx, generators)
}

// tree is a value as JSON has it.
func tree(value any) (out any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &out)
	return out, err
}

// holds reports whether one of some generators stands in others, however deep.
func holds(value any, kinds ...string) bool {
	switch x := value.(type) {
	case []any:
		return slices.ContainsFunc(x, func(v any) bool { return holds(v, kinds...) })
	case map[string]any:
		for name, v := range x {
			if slices.Contains(kinds, name) && v != nil || holds(v, kinds...) {
				return true
			}
		}
	}
	return false
}

// gitGenerator is as much of one as tells what it reads.
type gitGenerator struct {
	RepoURL     string                  `json:"repoURL"`
	Revision    string                  `json:"revision"`
	Directories []struct{ Path string } `json:"directories"`
	Files       []struct{ Path string } `json:"files"`
}

// sameFiles goes through generators, however deep, and compares what those of
// Git look into.
func (c *comparison) sameFiles(ctx context.Context, value any) bool {
	switch x := value.(type) {
	case []any:
		return !slices.ContainsFunc(x, func(v any) bool { return !c.sameFiles(ctx, v) })
	case map[string]any:
		for name, v := range x {
			if name == "git" && !c.sameGit(ctx, v) || !c.sameFiles(ctx, v) {
				return false
			}
		}
	}
	return true
}

func (c *comparison) sameGit(ctx context.Context, value any) bool {
	var g gitGenerator
	text, err := json.Marshal(value)
	if err != nil || json.Unmarshal(text, &g) != nil || strings.Contains(g.RepoURL+g.Revision, "{{") {
		return false
	}
	if !c.moves(g.RepoURL, g.Revision) {
		return true
	}
	ref := gitops.SourceRef{RepoURL: g.RepoURL, Revision: g.Revision}
	before, err := c.before.Side.Sources.Snapshot(ctx, ref)
	if err != nil {
		return false
	}
	after, err := c.after.Side.Sources.Snapshot(ctx, ref)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(g.Directories, g.Files), func(of struct{ Path string }) bool {
		was, e := before.Tree.Digest(folderOf(of.Path))
		is, err := after.Tree.Digest(folderOf(of.Path))
		return e != nil || err != nil || was != is
	})
}

// folderOf is the folder that a pattern or template looks into.
func folderOf(pattern string) string {
	pattern = path.Clean(strings.TrimPrefix(pattern, "/"))
	if i := strings.IndexAny(pattern, `*?[{\`); i >= 0 {
		return path.Dir(pattern[:i] + "x")
	}
	return pattern
}
