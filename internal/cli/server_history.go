package cli

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// servedPast is the history of one Application, as a server tells it.
type servedPast struct {
	server *client.Client
	of     client.Key
}

// List implements historian.
func (s servedPast) List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error) {
	return s.server.Syncs(ctx, client.Key{Namespace: namespace, Name: name}, most)
}

// Trace implements historian.
func (s servedPast) Trace(ctx context.Context, id string) (*syncs.Trace, error) {
	return s.server.Trace(ctx, s.of, id)
}

// Diff implements historian.
func (s servedPast) Diff(ctx context.Context, a, b string) (*chronicle.Difference, error) {
	list, err := s.server.Compare(ctx, s.of, a, b)
	if err != nil {
		return nil, err
	}
	out := &chronicle.Difference{}
	changes := map[string]forecast.Change{"create": forecast.Added, "prune": forecast.Removed, "update": forecast.Changed}
	for i := range list {
		d := &list[i]
		o := forecast.Object{Change: changes[d.Verb], Group: d.Group, Version: d.Version, Kind: d.Kind, Namespace: d.Namespace, Name: d.Name}
		for _, c := range d.Changes {
			o.Fields = append(o.Fields, forecast.Field{Path: c.Path, Old: c.Old, New: c.New, Masked: c.Old == nil && c.New == nil})
		}
		out.Objects = append(out.Objects, o)
	}
	return out, nil
}

// Close does nothing.
func (servedPast) Close() error { return nil }

// servedLook looks at live objects by way of a server.
type servedLook struct {
	server *client.Client
}

// Tree implements trees.
func (s servedLook) Tree(ctx context.Context, a *v1alpha1.Application) ([]*observe.Node, error) {
	t, err := s.server.Tree(ctx, keyOf(a))
	if err != nil {
		return nil, err
	}
	if t.Partial != "" {
		err = fmt.Errorf("%s", t.Partial) //nolint:err113 // the server's words
	}
	return nodesOf(t.Nodes), err
}

func nodesOf(all []*api.Node) []*observe.Node {
	var out []*observe.Node
	for _, n := range all {
		if n.Missing {
			continue
		}
		out = append(out, &observe.Node{
			Key: gitops.Key{Group: n.Group, Kind: n.Kind, Namespace: n.Namespace, Name: n.Name}, Version: n.Version,
			Health:  gitops.Health{Code: gitops.HealthCode(n.Health), Message: n.Message},
			Created: n.Created, Info: n.Info, Images: n.Images, Children: nodesOf(n.Children), Holder: n.Holder,
		})
	}
	return out
}

// Diff tells what a sync would change.
func (s servedLook) Diff(ctx context.Context, a *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	list, err := s.server.Diff(ctx, keyOf(a))
	if err != nil {
		return nil, err
	}
	out := make([]plan.ObjectDiff, 0, len(list))
	for i := range list {
		one, err := objectDiff(&list[i])
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Close does nothing.
func (servedLook) Close() {}

func objectDiff(d *api.Difference) (plan.ObjectDiff, error) {
	key := gitops.Key{Group: d.Group, Kind: d.Kind, Namespace: d.Namespace, Name: d.Name}
	out := plan.ObjectDiff{Key: key, Verb: gitops.Verb(d.Verb), Kept: d.Kept, Drifted: d.Drifted, Origin: originOf(d.Origin)}
	var live, desired map[string]any
	for _, side := range [...]struct {
		text string
		into *map[string]any
	}{{d.Live, &live}, {d.Desired, &desired}} {
		if side.text == "" {
			continue
		}
		if err := yaml.Unmarshal([]byte(side.text), side.into); err != nil {
			return out, fmt.Errorf("cannot understand what the server tells of %s: %w", key, err)
		}
	}
	changes := make([]plan.Change, 0, len(d.Changes))
	for _, c := range d.Changes {
		changes = append(changes, plan.Change{Path: c.Path, Old: c.Old, New: c.New})
	}
	out.Diff = plan.ToldDiff(key, changes, live, desired)
	return out, nil
}

// originOf reads FILE:LINE.
func originOf(text string) gitops.Origin {
	file, line, ok := strings.Cut(text, ":")
	o := gitops.Origin{File: file}
	if ok {
		_, _ = fmt.Sscan(line, &o.Line)
	}
	return o
}
