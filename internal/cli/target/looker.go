package target

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Trees reads the live objects of an application.
type Trees interface {
	Tree(ctx context.Context, app *v1alpha1.Application) ([]*observe.Node, error)
}

// Looker looks at live objects.
type Looker interface {
	Trees
	Diff(ctx context.Context, app *v1alpha1.Application) ([]plan.ObjectDiff, error)
	Close()
}

// Look looks with the engine's own stages, or asks the server to.
func Look(ctx context.Context, g *command.Global, h *Hub, mirrors []source.Mirror) (Looker, error) {
	if h.Server != nil {
		return ServedLook{h.Server}, nil
	}
	return Inspect(ctx, g, h, mirrors)
}

// Inspect gives the engine's stages without its controllers. What they log
// goes to standard error, warnings and worse. The caller closes it.
func Inspect(ctx context.Context, g *command.Global, h *Hub, mirrors []source.Mirror) (*inspect.Inspector, error) {
	log, err := command.LogTo(g.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	inspector, err := inspect.Open(ctx, h.Looking(mirrors, log))
	if err != nil {
		return nil, h.Explain(err)
	}
	return inspector, nil
}

// Looking is how a command looks at the hub without its engine. At a local fleet
// it does as the engine of `causeway up`, which is on this machine as well; what
// another hub has may be of teams that are not to reach what this machine reaches,
// whatever the state of a fleet says that does not run.
func (h *Hub) Looking(mirrors []source.Mirror, log *slog.Logger) inspect.Config {
	cfg := inspect.Config{Hub: h.Config, NoPrograms: h.NoPrograms(), Namespace: h.Namespace, Mirrors: mirrors, Log: log}
	if h.Fleet != nil && h.Home.Running() {
		h.Fleet.AddMirrors(mirrors)
		cfg.Mirrors, cfg.PrivateHosts = h.Fleet.Mirrors, true
	}
	return cfg
}

// ServedLook looks at live objects by way of a server.
type ServedLook struct {
	Server *client.Client
}

// Tree implements Trees.
func (s ServedLook) Tree(ctx context.Context, a *v1alpha1.Application) ([]*observe.Node, error) {
	t, err := s.Server.Tree(ctx, KeyOf(a))
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
func (s ServedLook) Diff(ctx context.Context, a *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	list, err := s.Server.Diff(ctx, KeyOf(a))
	if err != nil {
		return nil, err
	}
	out := make([]plan.ObjectDiff, 0, len(list))
	for i := range list {
		one, err := ObjectDiff(&list[i])
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Close does nothing.
func (ServedLook) Close() {}

// ObjectDiff is a difference as a server tells it.
func ObjectDiff(d *api.Difference) (plan.ObjectDiff, error) {
	key := gitops.Key{Group: d.Group, Kind: d.Kind, Namespace: d.Namespace, Name: d.Name}
	out := plan.ObjectDiff{Key: key, Verb: gitops.Verb(d.Verb), Kept: d.Kept, Drifted: d.Drifted, Origin: OriginOf(d.Origin)}
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

// OriginOf reads FILE:LINE.
func OriginOf(text string) gitops.Origin {
	at := strings.LastIndexByte(text, ':') // names of files may have colons
	if at < 0 {
		return gitops.Origin{File: text}
	}
	line, err := strconv.Atoi(text[at+1:])
	if err != nil || line <= 0 {
		return gitops.Origin{File: text}
	}
	return gitops.Origin{File: text[:at], Line: line}
}
