package serve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
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
	if err != nil && now.Err() != nil && ctx.Err() == nil && !of(err, gitops.NotReady) {
		err = gitops.Problemf(gitops.Unreachable, "cluster %s did not answer within %s", cluster, limit).Do("see that it runs, and try again")
	}
	return out, err
}

// away reports whether an error is that a cluster does not answer.
func away(err error) bool { return of(err, gitops.Unreachable) }

// of reports whether an error is a problem of a kind.
func of(err error, kind gitops.ProblemKind) bool {
	var p *gitops.Problem
	return errors.As(err, &p) && p.Kind == kind
}

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
	if of(err, gitops.Forbidden) {
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

// Diff is what a sync would change.
func (l looker) Diff(ctx context.Context, app *v1alpha1.Application) ([]api.Difference, error) {
	if err := l.awake(ctx, app); err != nil {
		return nil, err
	}
	all, err := l.differences(ctx, app)
	if err != nil {
		return nil, err
	}
	veil, err := l.veilNow(ctx, app)
	if err != nil {
		return nil, err
	}
	out := make([]api.Difference, 0, len(all))
	for i := range all {
		d := &all[i]
		if d.Kept == "" {
			d.Diff = d.Diff.Without(veil)
		}
		one := api.Difference{Ref: refOf(d.Key, ""), Verb: string(d.Verb), Kept: d.Kept, Drifted: d.Drifted, Origin: d.Origin.String()}
		one.Changes = changesOf(&d.Diff)
		if one.Live, one.Desired, err = d.Diff.Sides(); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// differences are those of an application, without what is live of objects
// that its cluster does not show to who asks.
func (l looker) differences(ctx context.Context, app *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	all, err := l.on.Stages.Diff(ctx, app)
	if err != nil {
		return nil, err
	}
	cluster, err := l.cluster(ctx, app)
	if err != nil {
		return nil, err
	}
	shows := l.shows(ctx, cluster, app)
	for i := range all {
		d := &all[i]
		if d.Verb == gitops.Create || d.Kept != "" {
			continue // nothing is live, or is shown
		}
		err := shows(d.Key)
		if errors.As(err, &reach.Barred{}) {
			all[i] = plan.ObjectDiff{Key: d.Key, Verb: gitops.Keep, Kept: "not shown: " + err.Error(), Origin: d.Origin}
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// changesOf are the fields that differ.
func changesOf(d *plan.Diff) []api.Change {
	var out []api.Change
	for _, c := range d.Changes {
		out = append(out, api.Change{Path: c.Path, Old: c.Old, New: c.New})
	}
	return out
}

// Object shows one object of an application: what is live, and what Git has.
// Of one that the status names, what Git has is shown also where the cluster
// does not answer, and of one that another application has nothing else is.
func (l looker) Object(ctx context.Context, app *v1alpha1.Application, ref api.Ref) (*api.Object, error) {
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	look, end := at.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	live, err := l.seen(look, at, app, ref)
	if held := (*Held)(nil); errors.As(err, &held) || away(err) && at.has(ref.Key()) {
		return l.shown(ctx, at, app, ref, nil, err)
	}
	if err != nil {
		return nil, err
	}
	return l.shown(ctx, at, app, ref, live, nil)
}

// seen is a live object for who is shown it.
func (l looker) seen(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref) (*unstructured.Unstructured, error) {
	live, err := l.read(ctx, at, app, ref)
	by := accessTo(app, "applications", "get")
	if err != nil || live == nil || !l.byKubernetes(auth.From(ctx), by) {
		return live, err
	}
	want, err := toGet(ctx, at.Cluster, live)
	if err != nil {
		return nil, err
	}
	return live, l.demand(ctx, at.Cluster, by, want)
}

// shown is an object for people, with what Git has of it. Silent is why it is
// not known what is live, or is not to be shown; nil where it is known.
func (l looker) shown(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref, live *unstructured.Unstructured, silent error) (*api.Object, error) {
	set, problem := l.on.Stages.Desired(ctx, app)
	out := &api.Object{Ref: ref}
	if problem != nil {
		set, out.Problem = nil, saidOf(problem)
	}
	desired := find(set, ref.Key())
	switch {
	case desired == nil && silent != nil:
		return nil, silent
	case desired == nil && live == nil:
		return nil, errors.Join(problem, gitops.Problemf(gitops.NotFound, "%s %s is neither in the cluster nor in Git", ref.Kind, ref.Name))
	case silent != nil:
		unseen(out, silent)
	}
	veil, err := l.veil(ctx, app, set, problem)
	if err != nil {
		return nil, err
	}
	var wanted *unstructured.Unstructured
	if desired != nil {
		wanted, out.Origin = desired.Object, desired.Origin.String()
	}
	wanted, seen := veil.Sides(wanted, live)
	d, err := plan.Beside(seen, wanted, l.on.Hidden()...)
	if err != nil {
		return nil, err
	}
	if out.Live, out.Desired, err = d.Sides(); err != nil || live == nil {
		return out, err
	}
	health, _ := l.on.Checks.Health(at.server(), live) // an error is the health's message
	out.Health, out.Message, out.Containers = string(health.Code), health.Message, containersOf(live)
	return out, nil
}

// unseen says of an object why it is not known what is live, or is not shown.
func unseen(o *api.Object, why error) {
	o.Health, o.Message = string(v1alpha1.HealthStatusUnknown), why.Error()
	var held *Held
	if errors.As(why, &held) {
		o.Holder = held.Holder
		return
	}
	o.Unanswered = true
}

// saidOf is why an application cannot be rendered, for people. What no stage
// foresaw is not for them.
func saidOf(err error) string {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return p.Error()
	}
	return "it could not be rendered now; try again"
}

// find is an object as Git has it; nil where Git does not have it, or it is not
// known what Git has.
func find(set *plan.Set, key gitops.Key) *plan.Object {
	if set == nil {
		return nil
	}
	i := slices.IndexFunc(set.Objects, func(o plan.Object) bool { return o.Key == key })
	if i < 0 {
		return nil
	}
	return &set.Objects[i]
}

// own reads a live object that an application has. Nil when its status names it
// and it is not there: what is another's is not there either.
func (l looker) own(ctx context.Context, at *Admitted, app *v1alpha1.Application, ref api.Ref) (*unstructured.Unstructured, error) {
	key := ref.Key()
	o, err := l.on.Live.Object(ctx, app, schema.GroupVersionKind{Group: ref.Group, Version: ref.Version, Kind: ref.Kind}, key)
	if err == nil && o == nil && !at.has(key) {
		err = gitops.Problemf(gitops.NotFound, "application %s has no %s %s", app.Name, ref.Kind, ref.Name)
	}
	return o, err
}

// has reports whether the status names an object that the project permits.
func (a *Admitted) has(key gitops.Key) bool {
	return slices.ContainsFunc(a.Resources, func(r v1alpha1.ResourceStatus) bool {
		return r.Group == key.Group && r.Kind == key.Kind && r.Namespace == key.Namespace && r.Name == key.Name
	})
}

func containersOf(o *unstructured.Unstructured) []string {
	if o.GetKind() != "Pod" {
		return nil
	}
	var out []string
	for _, field := range []string{"containers", "initContainers"} {
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", field)
		for _, c := range list {
			if m, ok := c.(map[string]any); ok {
				name, _ := m["name"].(string)
				out = append(out, name)
			}
		}
	}
	return out
}

// Events lists those of an object in its cluster, or of the Application on
// the hub, latest first.
func (l looker) Events(ctx context.Context, app *v1alpha1.Application, ref api.Ref) ([]api.Event, error) {
	cluster, about, err := l.eventful(ctx, app, ref)
	if err != nil {
		return nil, err
	}
	ctx, end := cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	return inTime(ctx, answerTime, cluster.Desc().Name, func(ctx context.Context) ([]api.Event, error) {
		return EventsAbout(ctx, cluster.Desc().Name, cluster.RESTConfig(), about)
	})
}

// eventful is what events are asked for, and the cluster that has them.
func (l looker) eventful(ctx context.Context, app *v1alpha1.Application, ref api.Ref) (*fleet.Cluster, *corev1.ObjectReference, error) {
	if ref.Kind == "" {
		about := corev1.ObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name, UID: app.UID}
		return l.on.Fleet.Hub(), &about, nil
	}
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, nil, err
	}
	look, end := at.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	live, err := l.read(look, at, app, ref)
	if err != nil {
		return nil, nil, err
	}
	if live == nil && !l.wanted(ctx, app, ref.Key()) {
		return nil, nil, gitops.Problemf(gitops.NotFound, "%s %s is neither in the cluster nor in Git", ref.Kind, ref.Name)
	}
	about := corev1.ObjectReference{APIVersion: schema.GroupVersion{Group: ref.Group, Version: ref.Version}.String(), Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	if live != nil {
		about.UID = live.GetUID()
	}
	err = l.demand(ctx, at.Cluster, accessTo(app, "applications", "get"), right{Verb: "list", Resource: "events", Namespace: about.Namespace})
	return at.Cluster, &about, err
}

// wanted reports whether an application's sources have an object: what its
// status names and is not there may be another's.
func (l looker) wanted(ctx context.Context, app *v1alpha1.Application, key gitops.Key) bool {
	set, err := l.on.Stages.Desired(ctx, app)
	return err == nil && find(set, key) != nil
}

// Logs streams the log of a container of a pod that the application has.
func (l looker) Logs(ctx context.Context, app *v1alpha1.Application, q api.LogQuery) (io.ReadCloser, error) {
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	free, err := l.place(ctx, at.Cluster)
	if err != nil {
		return nil, err
	}
	log, err := l.open(ctx, at, app, q)
	if err != nil {
		free()
		return nil, err
	}
	log.free = free
	return log, nil
}

// open reads a log as far as its beginning.
func (l looker) open(ctx context.Context, at *Admitted, app *v1alpha1.Application, q api.LogQuery) (*openLog, error) {
	look, end := at.Cluster.OneLook(ctx, auth.Asker(ctx))
	pod, err := l.read(look, at, app, api.Ref{Version: "v1", Kind: "Pod", Namespace: q.Namespace, Name: q.Pod})
	end() // a log goes on, and needs nothing of the pod
	if err != nil {
		return nil, err
	}
	if pod == nil {
		return nil, gitops.Problemf(gitops.NotFound, "pod %s is not there", q.Pod)
	}
	want := right{Verb: "get", Resource: "pods", Subresource: "log", Namespace: q.Namespace, Name: q.Pod}
	if err := l.demand(ctx, at.Cluster, accessTo(app, "logs", "get"), want); err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(at.Cluster.RESTConfig())
	if err != nil {
		return nil, err
	}
	options := &corev1.PodLogOptions{Container: q.Container, Previous: q.Previous, Follow: q.Follow, TailLines: &q.Tail, Timestamps: true}
	if !q.Since.IsZero() {
		options.TailLines, options.SinceTime = nil, new(metav1.NewTime(q.Since))
	}
	// The log goes on as long as it is read; that it begins takes no longer than a look.
	ctx, stop := context.WithCancel(ctx)
	late := time.AfterFunc(readTime, stop)
	lines, err := clients.CoreV1().Pods(q.Namespace).GetLogs(q.Pod, options).Stream(ctx)
	if !late.Stop() && err == nil {
		err = errors.Join(context.DeadlineExceeded, lines.Close())
	}
	if err != nil {
		stop()
		return nil, gitops.Problemf(gitops.Unreachable, "cannot read the log of pod %s: %w", q.Pod, err)
	}
	return &openLog{ReadCloser: lines, stop: stop}, nil
}

// openLog ends its request, and gives its place back, when it is closed.
type openLog struct {
	io.ReadCloser

	stop context.CancelFunc
	free func()
}

// Close implements io.Closer.
func (l *openLog) Close() error {
	defer l.free()
	defer l.stop()
	return l.ReadCloser.Close()
}

// hubReader reads the hub's cache for the API.
type hubReader struct {
	// rows are what rights were told by.
	rows      *view.Index
	reader    client.Reader
	namespace string
}

func (h hubReader) Application(ctx context.Context, k view.Key) (*v1alpha1.Application, error) {
	app := &v1alpha1.Application{}
	err := h.reader.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: k.Name}, app)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil, gitops.Problemf(gitops.NotFound, "application %s in %s is gone", k.Name, k.Namespace)
	}
	if row := h.rows.Get(k); err == nil && (row == nil || row.Project != app.Spec.GetProject()) {
		return nil, gitops.Problemf(gitops.NotReady, "application %s is being moved to another project; try again", k.Name)
	}
	return app, err
}

// Version implements argocd.Versions.
func (h hubReader) Version(ctx context.Context, k view.Key) string {
	app := &v1alpha1.Application{}
	if h.reader.Get(ctx, client.ObjectKey(k), app, client.UnsafeDisableDeepCopy) != nil {
		return ""
	}
	return app.ResourceVersion
}

// ApplicationSets are those of the control namespace, by name: a cache has no order.
func (h hubReader) ApplicationSets(ctx context.Context) ([]v1alpha1.ApplicationSet, error) {
	var list v1alpha1.ApplicationSetList
	err := h.reader.List(ctx, &list, client.InNamespace(h.namespace))
	slices.SortFunc(list.Items, func(a, b v1alpha1.ApplicationSet) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, err
}

// ApplicationSet is one of them.
func (h hubReader) ApplicationSet(ctx context.Context, k view.Key) (*v1alpha1.ApplicationSet, error) {
	gone := gitops.Problemf(gitops.NotFound, "ApplicationSet %s in %s is gone", k.Name, k.Namespace)
	if k.Namespace != h.namespace {
		return nil, gone
	}
	set := &v1alpha1.ApplicationSet{}
	err := h.reader.Get(ctx, client.ObjectKey(k), set)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil, gone
	}
	return set, err
}

// Projects are those of the control namespace, by name.
func (h hubReader) Projects(ctx context.Context) ([]v1alpha1.AppProject, error) {
	var list v1alpha1.AppProjectList
	err := h.reader.List(ctx, &list, client.InNamespace(h.namespace))
	slices.SortFunc(list.Items, func(a, b v1alpha1.AppProject) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, err
}
