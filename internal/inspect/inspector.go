package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/members"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/lookup"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/serve"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Inspector is the stages without the controllers: for a person who looks at
// one application. It reads the hub's Secrets once, and changes nothing.
type Inspector struct {
	client client.Client
	// direct asks the API server itself. The cache of an engine waits for ever for a kind that the engine may not list.
	direct client.Reader
	cfg    Config
	// sources ask no project: they read the sources of an Application that was
	// admitted, and what sets read. The renderer has others for the rest.
	sources  *source.Registry
	creds    *hub.Credentials
	render   *render.Renderer
	settings *hub.Settings
	fleet    *fleet.Fleet
	clusters *members.Clusters
	apply    *apply.Applier
	checks   *observe.Checks
	folder   string
	// verify tells why a revision is not signed as a rule says; nil where nobody
	// knows the keys.
	verify hub.Verifier
	// room is the engine's for large ApplicationSets; nil where there is none.
	room *generate.Room
	// hosts are the engine's, with what they remember: whoever looks at a set asks no
	// Git host that the engine may not ask, and none again that it has asked.
	hosts generate.Hosts
	// doublestar has git generators match files by path globs, as the installation says.
	doublestar bool
}

// Open connects to the hub. Close ends it.
func Open(ctx context.Context, cfg Config) (i *Inspector, err error) {
	cfg, err = cfg.complete()
	if err != nil {
		return nil, err
	}
	i = &Inspector{cfg: cfg, settings: &hub.Settings{}}
	defer func() {
		if err != nil {
			i.Close()
		}
	}()
	scheme, err := hub.NewScheme()
	if err != nil {
		return nil, err
	}
	if i.client, err = client.New(cfg.Hub, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	i.direct = i.client
	// A running engine holds its own cache folder; a look is short.
	if i.folder, err = os.MkdirTemp("", "causeway-look-"); err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	return i, i.stages(ctx)
}

func (i *Inspector) stages(ctx context.Context) (err error) {
	access := &source.Credentials{}
	i.creds = hub.NewCredentials(access)
	i.hosts = lookup.NewHosts(lookup.Open(lookup.Options{Reader: i.direct, Known: access}), wake.FloodPause)
	i.checks = observe.New()
	i.apply = apply.New(apply.Options{Convert: i.checks.Live, Remember: func(string, gitops.Key, string, string) {}})
	i.fleet, err = fleet.New(fleet.Options{Hub: i.cfg.Hub, Namespace: i.cfg.Namespace, Convert: i.checks.Live, Kinds: memory.Kinds(memory.There())})
	if err != nil {
		return err
	}
	i.clusters = members.New(i.fleet)
	// The keys of who looks are not the hub's to spend, unless its engine runs on
	// their machine and has them as well.
	i.sources, i.render, err = hub.OpenStages(i.cfg.reading(), i.rules(), source.Options{CacheDir: i.folder, Credentials: access, NoKeys: !i.cfg.PrivateHosts})
	if err != nil {
		return err
	}
	if err := i.settings.Read(ctx, i.client, i.cfg.Namespace); err != nil {
		i.cfg.Log.WarnContext(ctx, "applications are rendered without the settings of the installation", "error", err)
	}
	params, err := hub.ReadParams(ctx, i.cfg.Hub, i.cfg.Namespace, i.cfg.Log)
	if err != nil {
		i.cfg.Log.WarnContext(ctx, "git generators match files as Git does: what the installation says of them is not known", "error", err)
	}
	i.doublestar = params.DoublestarFiles()
	i.checks.Mark(i.settings.Tracking())
	if _, _, err := i.checks.Customize(i.settings.Data()); err != nil {
		i.cfg.Log.WarnContext(ctx, "health is told without the checks of the installation", "error", err)
	}
	return hub.ReadSecrets(ctx, i.client, i.cfg.Log, i.cfg.Namespace, i.fleet, hub.Parser(i.settings.Data, i.cfg.NoPrograms), i.creds)
}

// Close ends the connections and removes what was fetched.
func (i *Inspector) Close() {
	if i.fleet != nil {
		i.fleet.Close()
	}
	if i.render != nil {
		i.render.Close()
	}
	if i.sources != nil {
		_ = i.sources.Close()
	}
	_ = os.RemoveAll(i.folder)
}

// Application reads an Application of the control namespace.
func (i *Inspector) Application(ctx context.Context, name string) (*v1alpha1.Application, error) {
	app := &v1alpha1.Application{}
	err := i.client.Get(ctx, types.NamespacedName{Namespace: i.cfg.Namespace, Name: name}, app)
	if err != nil {
		return nil, fmt.Errorf("cannot read application %s: %w", name, err)
	}
	return app, nil
}

// Cluster returns the destination of an application, if its project permits it.
func (i *Inspector) Cluster(ctx context.Context, app *v1alpha1.Application) (*fleet.Cluster, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return a.Cluster.Cluster, nil
}

// Render fetches and renders an application as the engine does.
func (i *Inspector) Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return i.rendered(ctx, a)
}

func (i *Inspector) rendered(ctx context.Context, a *admission) (*gitops.Rendering, error) {
	snaps, err := i.comparer().Snapshots(ctx, &a.subject)
	if err != nil {
		return nil, err
	}
	return i.comparer().Render(ctx, &a.subject, snaps)
}

// RenderFor renders for its cluster as if other facts were known of that.
func (i *Inspector) RenderFor(ctx context.Context, app *v1alpha1.Application, facts gitops.Facts) (*gitops.Rendering, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return i.renderFor(ctx, a, facts)
}

func (i *Inspector) renderFor(ctx context.Context, a *admission, facts gitops.Facts) (*gitops.Rendering, error) {
	in, err := i.inputFor(ctx, a, facts)
	if err != nil {
		return nil, err
	}
	return i.render.Application(ctx, in)
}

// inputFor fetches what an application is rendered from. What is not signed as
// its project asks is refused, as it is in a sync.
func (i *Inspector) inputFor(ctx context.Context, a *admission, facts gitops.Facts) (render.Input, error) {
	snaps, err := i.comparer().Snapshots(ctx, &a.subject)
	if err != nil {
		return render.Input{}, err
	}
	return i.comparer().Input(&a.subject, snaps, facts), nil
}

// Values are the Helm values of an application, with the layers that each
// comes from.
func (i *Inspector) Values(ctx context.Context, app *v1alpha1.Application) ([]render.SourceValues, error) {
	in, err := i.input(ctx, app)
	if err != nil {
		return nil, err
	}
	return i.render.Values(ctx, in)
}

// input is what an application is rendered from.
func (i *Inspector) input(ctx context.Context, app *v1alpha1.Application) (render.Input, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return render.Input{}, err
	}
	facts, err := a.Cluster.Facts(ctx)
	if err != nil {
		return render.Input{}, err
	}
	return i.inputFor(ctx, a, facts)
}

// Diff compares what is live with what a sync would make of it, by dry runs
// on the destination cluster. Objects that are as they should be are left out.
func (i *Inspector) Diff(ctx context.Context, app *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	tracking := gitops.TrackingName(app.Namespace, app.Name, i.cfg.Namespace)
	return i.differences(ctx, app, func(ctx context.Context, cluster apply.Cluster, action gitops.Action) (*plan.ObjectDiff, error) {
		if held := heldDiff(&action, tracking); held != nil {
			return held, nil
		}
		return i.diff(ctx, cluster, action)
	})
}

// heldDiff tells of an object that another application has that it is not looked
// at; nil for all else.
func heldDiff(action *gitops.Action, tracking string) *plan.ObjectDiff {
	if action.Live == nil || action.Desired == nil || action.Hook || action.Verb == gitops.Keep || action.Verb == gitops.Skip {
		return nil // nothing of it is shown
	}
	holder, _ := gitops.TrackedBy(action.Live.Tracking, action.Key)
	if holder == "" || holder == tracking {
		return nil
	}
	return &plan.ObjectDiff{Key: action.Key, Verb: gitops.Keep, Kept: serve.HeldBy(action.Key, holder).Error(), Origin: action.Desired.Origin}
}

// differ compares one object; nil where there is nothing to tell.
type differ func(context.Context, apply.Cluster, gitops.Action) (*plan.ObjectDiff, error)

// differences compares the objects of an application, each by one.
func (i *Inspector) differences(ctx context.Context, app *v1alpha1.Application, one differ) ([]plan.ObjectDiff, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	cluster, err := i.clusters.Resolve(app.Spec.Destination)
	if err != nil {
		return nil, err
	}
	found, err := i.compared(ctx, a)
	if err != nil {
		return nil, err
	}
	ctx = slots.ForProject(difference.Share(ctx, app.Spec.GetProject()), app.Spec.GetProject())
	veil := redact.NewKnown(found.Rendering.Hidden)
	var out []plan.ObjectDiff
	var told plan.Telling
	for _, w := range found.Plan.Waves {
		for j := range w.Actions {
			d, err := a.within(one)(ctx, cluster, w.Actions[j])
			if err != nil {
				return nil, err
			}
			if d != nil {
				if d.Kept == "" {
					d.Diff = d.Diff.Without(veil)
				}
				d.Diff = told.Of(d.Diff)
				out = append(out, *d)
			}
		}
	}
	return out, nil
}

// within compares only what the project permits, and tells of the rest that it
// is not looked at; a namespace that is only to be there is nothing to tell of.
func (a *admission) within(one differ) differ {
	return func(ctx context.Context, cluster apply.Cluster, action gitops.Action) (*plan.ObjectDiff, error) {
		why := a.Permits(action.Key)
		if why == nil {
			return one(ctx, cluster, action)
		}
		if action.Hook || action.Namespace || action.Verb == gitops.Skip {
			return nil, nil
		}
		return &plan.ObjectDiff{Key: action.Key, Verb: gitops.Keep, Kept: why.Error()}, nil
	}
}

// Desired is what an application's sources say is to be there.
func (i *Inspector) Desired(ctx context.Context, app *v1alpha1.Application) (*plan.Set, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return i.desired(ctx, a)
}

func (i *Inspector) desired(ctx context.Context, a *admission) (*plan.Set, error) {
	rendering, err := i.rendered(ctx, a)
	if err != nil {
		return nil, err
	}
	set, err := i.comparer().Desired(&a.subject, rendering)
	if err != nil {
		return nil, err
	}
	set.Hidden = rendering.Hidden
	return set, nil
}

// Refusal is why the engine would not apply all of a rendering, as far as that
// shows without the cluster that it is for.
func (i *Inspector) Refusal(app *v1alpha1.Application, r *gitops.Rendering) error {
	return offline.Refusal(app, r, i.settings.Comparing())
}

// compared is what a sync that prunes would do. What cannot be applied at all is an
// error, but for a kind that is not served yet.
func (i *Inspector) compared(ctx context.Context, a *admission) (*compare.Comparison, error) {
	found, err := i.comparer().Application(ctx, &a.subject, compare.Ask{Prune: true})
	if err != nil {
		return nil, err
	}
	for n := range found.Set.Objects {
		if err := found.Set.Objects[n].Fault; err != nil && !errors.Is(err, gitops.ErrNotServed) {
			return nil, err
		}
	}
	return found, nil
}

// diff returns nil for an object that a sync would leave as it is.
func (i *Inspector) diff(ctx context.Context, cluster apply.Cluster, a gitops.Action) (*plan.ObjectDiff, error) {
	if a.Verb == gitops.Keep || (a.Verb == gitops.Skip && a.Desired != nil) || a.Hook {
		return nil, nil
	}
	if a.Verb == gitops.Skip {
		return &plan.ObjectDiff{Key: a.Key, Verb: gitops.Keep, Kept: a.Reason}, nil
	}
	// What is ignored or frozen is no difference.
	a, err := i.apply.Confirm(ctx, cluster, a)
	if err != nil || a.Verb == gitops.Keep {
		return nil, err
	}
	live, predicted, err := i.apply.Predict(ctx, cluster, a)
	if err != nil {
		return nil, err
	}
	return i.shown(a, live, predicted)
}

// shown is a difference as people see it; nil when there is none.
func (i *Inspector) shown(a gitops.Action, live, predicted *unstructured.Unstructured) (*plan.ObjectDiff, error) {
	d, err := plan.NewDiff(live, predicted, i.settings.Comparing().Hidden()...)
	if err != nil || d.Empty() {
		return nil, err
	}
	out := &plan.ObjectDiff{Key: a.Key, Verb: a.Verb, Diff: d, Drifted: compare.Drifted(a.Deviations, a.Untold)}
	if a.Desired != nil {
		out.Origin = a.Desired.Origin
	}
	return out, nil
}

// Tree returns the application's objects with what they own, as they are in
// the destination cluster now. Objects that are missing there are left out; of
// those that another application has there is no more than that it does. A
// tree with parts left out comes with the error that tells why.
func (i *Inspector) Tree(ctx context.Context, app *v1alpha1.Application) ([]*observe.Node, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	ctx, end := a.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	roots, missed := i.roots(ctx, a)
	nodes, err := i.checks.Tree(ctx, a.Place().Server, a, roots.own)
	for _, o := range roots.others {
		nodes = append(nodes, heldNode(o, a.holder(o)))
	}
	return nodes, errors.Join(missed, err)
}

func heldNode(o *unstructured.Unstructured, holder string) *observe.Node {
	return &observe.Node{Key: gitops.KeyOf(o), Version: o.GroupVersionKind().Version, Info: "part of application " + holder, Holder: holder}
}

// Roots reads the live objects that an application's status names, in its
// order. Those that are not there, or none of its own, are left out.
func (i *Inspector) Roots(ctx context.Context, app *v1alpha1.Application) ([]*unstructured.Unstructured, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	ctx, end := a.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	roots, err := i.roots(ctx, a)
	return roots.own, err
}

// Orphans lists the objects in an application's namespace that no application
// has, and whether its project asks for them at all.
func (i *Inspector) Orphans(ctx context.Context, app *v1alpha1.Application) (found []gitops.Key, asked bool, err error) {
	a, err := i.admit(ctx, app)
	if err != nil || a.Project.Spec.OrphanedResources == nil {
		return nil, false, err
	}
	var all v1alpha1.ApplicationList
	if err := i.client.List(ctx, &all, client.InNamespace(i.cfg.Namespace)); err != nil {
		return nil, true, fmt.Errorf("cannot list applications: %w", err)
	}
	known := map[string]bool{}
	for j := range all.Items {
		known[all.Items[j].Name] = true
	}
	mine := map[gitops.Key]bool{}
	for j := range app.Status.Resources {
		mine[keyOfStatus(&app.Status.Resources[j])] = true
	}
	had := func(s gitops.Stray) bool { return mine[s.Key] || s.App == a.Tracking }
	gone := func(s gitops.Stray) bool { return !known[s.App] && !i.has(ctx, s.App) }
	found, err = compare.Orphans(ctx, a.Project, a.Cluster, a.Tracking, app.Spec.Destination.Namespace, had, gone)
	return found, true, err
}

// has reports whether there is an Application of a tracking name in another
// namespace; when it cannot be told, there is.
func (i *Inspector) has(ctx context.Context, tracking string) bool {
	namespace, name := gitops.SplitTrackingName(tracking, i.cfg.Namespace)
	if namespace == i.cfg.Namespace {
		return false
	}
	err := i.client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, &v1alpha1.Application{})
	return client.IgnoreNotFound(err) != nil || err == nil
}
