package deletion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

// place is a cluster with objects.
type place struct {
	state.Cluster

	server string
	has    map[gitops.Key]*gitops.Live
	whole  *unstructured.Unstructured
	asked  []schema.GroupVersionKind
	named  []gitops.Key
	down   error
}

func (p *place) Desc() gitops.Cluster { return gitops.Cluster{Name: "east", Server: p.server} }

func (p *place) Scope() gitops.Scope {
	return func(_, kind string) (namespaced, known bool) {
		return kind != "Namespace" && kind != "ClusterRole" && kind != "CustomResourceDefinition", true
	}
}

func (p *place) Live(_ context.Context, tracking string, kinds []schema.GroupVersionKind, keys []gitops.Key) (map[gitops.Key]*gitops.Live, error) {
	p.asked, p.named = kinds, keys
	out := map[gitops.Key]*gitops.Live{}
	for k, l := range p.has {
		app, _ := plan.Maker(l)
		of := slices.ContainsFunc(kinds, func(gvk schema.GroupVersionKind) bool { return gvk.Group == k.Group && gvk.Kind == k.Kind })
		if of && app == tracking || slices.Contains(keys, k) {
			out[k] = l
		}
	}
	return out, p.down
}

func (p *place) Get(context.Context, schema.GroupVersionKind, string, string) (*unstructured.Unstructured, error) {
	if p.whole == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{}, "a")
	}
	return p.whole, nil
}

func (p *place) Put(l *gitops.Live) { p.has[l.Key] = l }

// hub has Applications and projects, and knows clusters.
type hub struct {
	state.Fleet

	apps     []*v1alpha1.Application
	projects map[string]*v1alpha1.AppProject
	clusters map[string]*place
	unknown  error
	deaf     error
}

func (h *hub) All(context.Context) ([]*v1alpha1.Application, error) { return h.apps, h.deaf }

func (h *hub) Get(_ context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	for _, app := range h.apps {
		if client.ObjectKeyFromObject(app) == name {
			return app, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (h *hub) Has(ctx context.Context, name types.NamespacedName) bool {
	_, err := h.Get(ctx, name)
	return err == nil
}

func (h *hub) Project(_ context.Context, name string) (*v1alpha1.AppProject, error) {
	if p := h.projects[name]; p != nil {
		return p, nil
	}
	return nil, gitops.Problemf(gitops.NotReady, "there is no project %q", name)
}

func (h *hub) Resolve(d v1alpha1.ApplicationDestination) (state.Cluster, error) {
	if c := h.clusters[d.Name]; c != nil && h.unknown == nil {
		return c, nil
	}
	if h.unknown != nil {
		return nil, h.unknown
	}
	return nil, gitops.Problemf(gitops.NotFound, "there is no cluster %q", d.Name)
}

func (h *hub) Meant(d v1alpha1.ApplicationDestination) []gitops.Cluster {
	if c := h.clusters[d.Name]; c != nil {
		return []gitops.Cluster{c.Desc()}
	}
	return nil
}

func (*hub) OfProject(string) []gitops.Cluster { return nil }
func (*hub) OfNobody() []gitops.Cluster        { return nil }

// world is a Remover with all that it acts on.
type world struct {
	*Remover

	t       *testing.T
	app     *v1alpha1.Application
	cluster *place
	hub     *hub
	now     time.Time
	// hooks are what Git has, health is how each hook is that is made, and hookErr why it
	// cannot be rendered.
	hooks   []gitops.Manifest
	health  gitops.Health
	hookErr error
	target  func(*state.Target)
	// meanwhile happens between the look at a cluster and the first change.
	meanwhile func(*state.Subject) error
	refused   error

	sent    []string
	notices []Notice
	forgot  []types.NamespacedName
	events  []string
}

// object is a live object in the namespace shop that the Application shop made.
func object(kind, name string, change ...func(*gitops.Live)) *gitops.Live {
	k := gitops.Key{Kind: kind, Namespace: "shop", Name: name}
	l := &gitops.Live{Key: k, UID: types.UID("uid of " + name), Version: schema.GroupVersionKind{Version: "v1", Kind: kind}, Tracking: gitops.TrackingID("shop", k), Annotations: map[string]string{}, Created: at.Add(-time.Hour)}
	for _, c := range change {
		c(l)
	}
	return l
}

func annotated(name, value string) func(*gitops.Live) {
	return func(l *gitops.Live) { l.Annotations[name] = value }
}

func going(finalizers ...string) func(*gitops.Live) {
	return func(l *gitops.Live) { l.Deleting, l.Finalizers = true, finalizers }
}

// deleting is a world in which the Application shop is being deleted, which has objects.
func deleting(t *testing.T, objects ...*gitops.Live) *world {
	deleted := metav1.NewTime(at)
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{
		Namespace: "argocd", Name: "shop", UID: "1", ResourceVersion: "1", DeletionTimestamp: &deleted, Finalizers: []string{v1alpha1.FinalizerResources},
	}}
	app.Spec.Project, app.Spec.Destination = "web", v1alpha1.ApplicationDestination{Name: "east", Namespace: "shop"}
	app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web", Path: "."}
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1alpha1.AppProjectSpec{
		SourceRepos:              []string{"*"},
		Destinations:             []v1alpha1.ApplicationDestination{{Server: "*", Name: "*", Namespace: "shop"}, {Server: "*", Name: "*", Namespace: "argocd"}},
		ClusterResourceWhitelist: []v1alpha1.ClusterResourceRestrictionItem{{Group: "*", Kind: "*"}},
	}}
	w := &world{t: t, app: app, now: at, cluster: &place{server: "https://east", has: map[gitops.Key]*gitops.Live{}}}
	for _, l := range objects {
		w.cluster.has[l.Key] = l
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Group: l.Key.Group, Version: "v1", Kind: l.Key.Kind, Namespace: l.Key.Namespace, Name: l.Key.Name})
	}
	w.hub = &hub{apps: []*v1alpha1.Application{app}, projects: map[string]*v1alpha1.AppProject{"web": project}, clusters: map[string]*place{"east": w.cluster}}
	w.Remover = &Remover{
		Namespace: "argocd", Apps: w.hub, Projects: w.hub, Fleet: w.hub, Apply: w, Hooks: runs{w}, Writers: w, Memo: compare.NewMemo(), Stuck: NewStuck(),
		Comparer:   &compare.Comparer[state.Cluster]{Namespace: "argocd", Projects: w.hub, Fleet: w.hub, Apps: w.hub},
		StuckAfter: StuckAfter, Pause: Pause, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now },
		Deleted: func(n Notice) { w.notices = append(w.notices, n) },
		Forget:  func(name types.NamespacedName) { w.forgot = append(w.forgot, name) },
	}
	return w
}

// Wave deletes at once what it is told to, or fails.
func (w *world) Wave(_ context.Context, _ apply.Cluster, wave gitops.Wave) []gitops.Result {
	var out []gitops.Result
	for i := range wave.Actions {
		a := &wave.Actions[i]
		w.sent = append(w.sent, fmt.Sprintf("%s %s/%s %s", a.Verb, a.Key.Kind, a.Key.Name, a.Options.PrunePolicy))
		if w.refused == nil {
			delete(w.cluster.has, a.Key)
		}
		out = append(out, gitops.Result{Key: a.Key, Verb: a.Verb, Deleted: w.refused == nil, Err: w.refused})
	}
	return out
}

func (w *world) Writer(s *state.Subject, _ state.Writer) (state.Writer, error) {
	return state.Writer{Cluster: s.Cluster}, nil
}

func (w *world) AsNow(_ context.Context, s state.Subject, had state.Writer) (state.Subject, state.Writer, error) {
	if w.meanwhile == nil {
		return s, had, nil
	}
	err := w.meanwhile(&s)
	return s, had, err
}

// runs runs the hooks of a world.
type runs struct{ *world }

func (r runs) Target(_ context.Context, app *v1alpha1.Application) (*state.Target, error) {
	t := &state.Target{Subject: state.Subject{App: app, Project: r.hub.projects["web"], Cluster: r.cluster, Tracking: app.Name}}
	if r.target != nil {
		r.target(t)
	}
	return t, nil
}

func (r runs) Render(context.Context, *state.Target) (*gitops.Rendering, error) {
	return &gitops.Rendering{Manifests: r.hooks, Revisions: []string{"abc"}}, r.hookErr
}

func (r runs) Wave(_ context.Context, _ *state.Target, wave gitops.Wave) []gitops.Result {
	var out []gitops.Result
	for i := range wave.Actions {
		a := &wave.Actions[i]
		if a.Verb == gitops.Keep {
			out = append(out, gitops.Result{Key: a.Key, Verb: a.Verb, Phase: wave.Phase, Wave: wave.Number, Hook: true, Live: a.Live})
			continue
		}
		recreated := ""
		if a.Recreate {
			recreated = " anew"
		}
		r.sent = append(r.sent, fmt.Sprintf("%s %s/%s%s", a.Verb, a.Key.Kind, a.Key.Name, recreated))
		l := object(a.Key.Kind, a.Key.Name, func(l *gitops.Live) {
			l.UID, l.Created, l.Health, l.Annotations = types.UID(fmt.Sprint("made ", len(r.sent))), r.now, r.health, a.Desired.Object.GetAnnotations()
		})
		out = append(out, gitops.Result{Key: a.Key, Version: "v1", Verb: a.Verb, Phase: wave.Phase, Wave: wave.Number, Hook: true, Live: l, Deleted: a.Recreate})
	}
	return out
}

func (runs) LetGo(context.Context, *state.Target, *plan.Progress) {}

// Event notes an event.
func (w *world) Event(_ client.Object, _, reason, message string) {
	w.events = append(w.events, reason+": "+message)
}

func (w *world) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return nil
}

func (w *world) Describe(client.Object, *report.Failure, time.Time) {}

// look takes the next step of the deletion, and tells when the next look is due.
func (w *world) look() (again time.Duration, err error) {
	w.t.Helper()
	reporter := report.New("Application", w, w, w, report.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	out := reporter.Begin(w.t.Context(), w.app)
	err = w.Remove(w.t.Context(), out, w.app)
	res, failed := out.EndUnchanged()
	return res.RequeueAfter, errors.Join(err, failed)
}

// removal is what a step of a deletion begins with.
func (w *world) removal() *Removal {
	w.t.Helper()
	d, err := w.Admit(w.t.Context(), w.app)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}
