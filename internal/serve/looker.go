package serve

import (
	"cmp"
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/trail"
)

// looker looks at applications for the API, with the engine's own stages and
// caches.
type looker struct {
	on *Options
	// roles tell whom clusters are asked about, and the trail is told what they
	// do not let somebody do. Both are nil where nobody is asked about.
	roles roles
	trail *trail.Trail
	// logs are the places of those that are read; nil where nothing bounds them.
	logs *stream.Slots
	// kinds are what clusters have let people read a moment ago; nil where nobody
	// is asked about.
	kinds *kindRights
}

// cluster is the destination of an application that its project permits.
func (l looker) cluster(ctx context.Context, app *v1alpha1.Application) (*fleet.Cluster, error) {
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return at.Cluster, nil
}

func refOf(k gitops.Key, version string) api.Ref {
	return api.Ref{Group: k.Group, Version: version, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name}
}

// answerTime bounds the wait for what is live: the status and Git are there
// without the cluster.
const answerTime = 3 * time.Second

// inTime asks a cluster something. One that says nothing until the limit does
// not answer, which is known before whoever waits has gone.
func inTime[T any](ctx context.Context, limit time.Duration, cluster string, ask func(context.Context) (T, error)) (T, error) {
	now, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := ask(now)
	if err != nil && now.Err() != nil && ctx.Err() == nil && !gitops.IsProblem(err, gitops.NotReady) {
		err = gitops.Problemf(gitops.Unreachable, "cluster %s did not answer within %s", cluster, limit).Do("see that it runs, and try again")
	}
	return out, err
}

// away reports whether an error is that a cluster does not answer.
func away(err error) bool { return gitops.IsProblem(err, gitops.Unreachable) }

// awake asks the cluster of an application whether it answers. Nothing that the
// Application names is read for that: it may name what is another's.
func (l looker) awake(ctx context.Context, app *v1alpha1.Application) error {
	cluster, err := l.cluster(ctx, app)
	if err != nil || len(app.Status.Resources) == 0 {
		return nil //nolint:nilerr // who needs the cluster tells why there is none
	}
	_, err = inTime(ctx, answerTime, cluster.Desc().Name, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, cluster.Answers(ctx)
	})
	if away(err) {
		return err
	}
	return nil
}

// Tree joins what the status knows with what is live. A cluster that does not
// answer leaves the status, and says so.
func (l looker) Tree(ctx context.Context, app *v1alpha1.Application) (*api.Tree, error) {
	resources := app.Status.Resources
	at, err := l.on.Admit(ctx, app)
	if gitops.IsProblem(err, gitops.Forbidden) {
		return nil, err
	}
	if err == nil {
		resources = at.Resources
	}
	live, err := inTime(ctx, answerTime, destinationOf(app), func(ctx context.Context) ([]*observe.Node, error) { return l.on.Live.Tree(ctx, app) })
	t := &joining{known: make(map[gitops.Key]*observe.Node, len(live)), partial: err != nil, shows: func(gitops.Key) error { return nil }}
	for _, n := range live {
		t.known[n.Key] = n
	}
	if at != nil {
		t.shows = l.showsAll(ctx, at.Cluster, app, keysIn(live))
	}
	if err != nil {
		t.hidden.add(err)
	}
	out := &api.Tree{Nodes: make([]*api.Node, 0, len(resources))}
	for i := range resources {
		out.Nodes = append(out.Nodes, t.node(&resources[i]))
	}
	out.Partial = t.hidden.String()
	return out, nil
}

// keysIn are the objects of trees.
func keysIn(all []*observe.Node) []gitops.Key {
	var out []gitops.Key
	for _, n := range all {
		out = append(append(out, n.Key), keysIn(n.Children)...)
	}
	return out
}

// destinationOf names a cluster as its Application does.
func destinationOf(app *v1alpha1.Application) string {
	return cmp.Or(app.Spec.Destination.Name, app.Spec.Destination.Server)
}

// joining makes a tree of the status and of what is live.
type joining struct {
	known map[gitops.Key]*observe.Node
	// partial tells that not all could be read: what was not found need not be missing.
	partial bool
	// shows tells why somebody is not shown what is live of an object.
	shows  func(gitops.Key) error
	hidden hiddenKinds
}

// node is an object of the status with what is live of it.
func (t *joining) node(r *v1alpha1.ResourceStatus) *api.Node {
	key := gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
	out := &api.Node{Ref: refOf(key, r.Version)}
	n := t.known[key]
	if n == nil {
		out.Missing = !t.partial
	} else if live := t.live(n); live != nil {
		out = live
	} else {
		out.Children = t.below(n)
	}
	out.Sync, out.Wave, out.Hook, out.Prune = string(r.Status), r.SyncWave, r.Hook, r.RequiresPruning
	if r.Health != nil && out.Health == "" {
		out.Health, out.Message = string(r.Health.Status), r.Health.Message
	}
	return out
}

// live is an object as it is; nil for who is not shown that.
func (t *joining) live(n *observe.Node) *api.Node {
	if why := t.shows(n.Key); why != nil {
		t.hidden.add(why)
		return nil
	}
	return &api.Node{
		Ref: refOf(n.Key, n.Version), UID: string(n.UID), Health: string(n.Health.Code), Message: n.Health.Message,
		Info: n.Info, Images: n.Images, Created: n.Created, Holder: n.Holder, Children: t.below(n),
	}
}

// below is what an object owns. Of what is not shown, what that owns comes in its place.
func (t *joining) below(n *observe.Node) []*api.Node {
	var out []*api.Node
	for _, child := range n.Children {
		if live := t.live(child); live != nil {
			out = append(out, live)
			continue
		}
		out = append(out, t.below(child)...)
	}
	return out
}
