package compare

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
)

// known are the Applications of a hub; err is why they cannot be listed.
type known struct {
	apps []*v1alpha1.Application
	err  error
}

func (k known) All(context.Context) ([]*v1alpha1.Application, error) { return k.apps, k.err }

func (k known) Get(_ context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	for _, app := range k.apps {
		if app.Namespace == name.Namespace && app.Name == name.Name {
			return app, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (k known) Has(ctx context.Context, name types.NamespacedName) bool {
	_, err := k.Get(ctx, name)
	return err == nil
}

// projects are by name.
type projects map[string]*v1alpha1.AppProject

func (p projects) Project(_ context.Context, name string) (*v1alpha1.AppProject, error) {
	if found := p[name]; found != nil {
		return found, nil
	}
	return nil, gitops.Problemf(gitops.NotFound, "no project %s", name)
}

// shelf is a cluster that has some objects; asked are the kinds that it was asked for.
type shelf struct {
	has   map[gitops.Key]*gitops.Live
	asked []string
	// learns has ConfigMaps served once they were asked for.
	learns, knows bool
}

const shelfServer = "https://shelf.example.com"

func (*shelf) Desc() gitops.Cluster { return gitops.Cluster{Name: "shelf", Server: shelfServer} }

func (*shelf) Facts(context.Context) (gitops.Facts, error) {
	return gitops.Facts{KubeVersion: "1.34.0"}, nil
}

func (s *shelf) Scope() gitops.Scope {
	return func(string, string) (namespaced, known bool) { return true, !s.learns || s.knows }
}

func (s *shelf) Live(_ context.Context, _ string, kinds []schema.GroupVersionKind, _ []gitops.Key) (map[gitops.Key]*gitops.Live, error) {
	for _, k := range kinds {
		s.asked = append(s.asked, k.Kind)
	}
	s.knows = true
	return maps.Clone(s.has), nil
}

// oneShelf leads every destination to a shelf.
type oneShelf struct {
	scopedFleet

	*shelf
}

func (f oneShelf) Resolve(v1alpha1.ApplicationDestination) (Cluster, error) { return f.shelf, nil }

// rendered has what the sources of every Application say, each source at one revision.
// refused is why its signature does not count.
type rendered struct {
	manifests []gitops.Manifest
	refused   error
	inputs    []render.Input
}

func (r *rendered) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	return &gitops.Snapshot{Revision: "at-" + ref.Revision, Commit: &gitops.Commit{Author: "ann"}}, nil
}

func (r *rendered) Verify(context.Context, gitops.SourceRef, string, gitops.SignatureRule) error {
	return r.refused
}

func (r *rendered) Application(_ context.Context, in render.Input) (*gitops.Rendering, error) {
	r.inputs = append(r.inputs, in)
	return &gitops.Rendering{Manifests: slices.Clone(r.manifests)}, nil
}

func configMap(name string) gitops.Manifest {
	return gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "red", "name": name},
	}}}
}

func keyOf(namespace, name string) gitops.Key {
	return gitops.Key{Kind: "ConfigMap", Namespace: namespace, Name: name}
}

// liveOf is an object that an application made.
func liveOf(app, namespace, name string) *gitops.Live {
	k := keyOf(namespace, name)
	return &gitops.Live{Key: k, UID: types.UID(name), Tracking: app + ":/ConfigMap:" + namespace + "/" + name}
}

// red permits its own namespace alone.
func red() *v1alpha1.AppProject {
	p := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "red"}}
	p.Spec.SourceRepos = []string{"https://git.example.com/red"}
	p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "red"}}
	return p
}

func application(name string, had ...gitops.Key) *v1alpha1.Application {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, UID: types.UID(name)}}
	app.Spec.Project = "red"
	app.Spec.Destination = v1alpha1.ApplicationDestination{Server: shelfServer, Namespace: "red"}
	app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/red", Path: ".", TargetRevision: "main"}
	for _, k := range had {
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Kind: k.Kind, Version: "v1", Namespace: k.Namespace, Name: k.Name})
	}
	return app
}

func comparing(s *shelf, r *rendered, apps known) *Comparer[Cluster] {
	return &Comparer[Cluster]{
		Namespace: "argocd", Projects: projects{"red": red()}, Fleet: oneShelf{shelf: s}, Apps: apps, Sources: r, Signatures: r, Renderer: r,
	}
}

// verbs are what a plan does to each object of a namespace.
func verbs(p *gitops.Plan) map[string]string {
	out := map[string]string{}
	for _, w := range p.Waves {
		for i := range w.Actions {
			a := &w.Actions[i]
			out[a.Key.Namespace+"/"+a.Key.Name] = strings.TrimSpace(string(a.Verb) + " " + string(a.Sync))
		}
	}
	return out
}

// TestApplication compares an Application with a cluster that has objects of its own, of
// another Application and of another team.
func TestApplication(t *testing.T) {
	blue := application("blue", keyOf("red", "left"))
	taker := application("taker", keyOf("red", "moved"))
	cases := map[string]struct {
		reason string
		has    []*gitops.Live
		had    []gitops.Key
		ask    Ask
		want   map[string]string
		warns  string
	}{
		"New":     {"what is not there is created", nil, nil, Ask{}, map[string]string{"red/a": "create OutOfSync"}, ""},
		"Pruned":  {"what is no longer in the sources goes where it is asked for", []*gitops.Live{liveOf("web", "red", "old")}, nil, Ask{Prune: true}, map[string]string{"red/a": "create OutOfSync", "red/old": "prune OutOfSync"}, ""},
		"Kept":    {"and stays where it is not", []*gitops.Live{liveOf("web", "red", "old")}, nil, Ask{}, map[string]string{"red/a": "create OutOfSync", "red/old": "skip OutOfSync"}, ""},
		"Moved":   {"what another one has in its sources is left to it", []*gitops.Live{liveOf("web", "red", "moved")}, nil, Ask{Prune: true}, map[string]string{"red/a": "create OutOfSync", "red/moved": "skip OutOfSync"}, ""},
		"Copied":  {"what only bears its mark, where the project permits nothing, is none of its own", []*gitops.Live{liveOf("web", "blue", "theirs")}, nil, Ask{Prune: true}, map[string]string{"red/a": "create OutOfSync"}, "ConfigMap:blue/theirs"},
		"Guessed": {"nor is one that its sources guess", []*gitops.Live{liveOf("blue", "blue", "a")}, nil, Ask{}, map[string]string{"red/a": "create OutOfSync"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &shelf{has: map[gitops.Key]*gitops.Live{}}
			for _, l := range tc.has {
				s.has[l.Key] = l
			}
			c := comparing(s, &rendered{manifests: []gitops.Manifest{configMap("a")}}, known{apps: []*v1alpha1.Application{blue, taker}})
			subject, err := c.Admit(red(), application("web", tc.had...))
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Application(t.Context(), subject, tc.ask)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, verbs(got.Plan)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			warnings := strings.Join(gitops.FewOf(got.Plan.Warnings, 10, func(w gitops.Warning) string { return w.Message }), "; ")
			if !strings.Contains(warnings, tc.warns) || tc.warns == "" && warnings != "" {
				t.Errorf("%s: it warns %q, want %q", tc.reason, warnings, tc.warns)
			}
			if subject.Revisions[0] != "at-main" || subject.Commits[0].Author != "ann" {
				t.Errorf("it is of %v by %v", subject.Revisions, subject.Commits)
			}
		})
	}
}

// TestUnlistedApplications: what others have is not guessed where they cannot be listed.
func TestUnlistedApplications(t *testing.T) {
	old := liveOf("web", "red", "old")
	s := &shelf{has: map[gitops.Key]*gitops.Live{old.Key: old}}
	c := comparing(s, &rendered{}, known{err: errors.New("no answer")})
	subject, err := c.Admit(red(), application("web"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Application(t.Context(), subject, Ask{Prune: true}); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("something is pruned that another application may have: %v", err)
	}
	if _, err := c.Application(t.Context(), subject, Ask{}); err != nil {
		t.Errorf("where nothing goes nobody need be asked: %v", err)
	}
}

// TestKindsThatALookFinds: a kind that comes to be known by the look is compared as
// what it is.
func TestKindsThatALookFinds(t *testing.T) {
	s := &shelf{learns: true}
	c := comparing(s, &rendered{manifests: []gitops.Manifest{configMap("a")}}, known{})
	subject, err := c.Admit(red(), application("web"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Application(t.Context(), subject, Ask{})
	if err != nil || got.Set.Objects[0].Fault != nil || len(s.asked) != 2 {
		t.Errorf("after %d looks: %v, %+v", len(s.asked), err, got.Set.Objects)
	}
}

// TestAdmit: nothing is read for an Application that its project does not permit.
func TestAdmit(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		says   string
	}{
		"Permitted":   {"all is permitted", func(*v1alpha1.Application) {}, ""},
		"Source":      {"a source is not", func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = "https://git.example.com/blue" }, "git.example.com/blue"},
		"Namespace":   {"a namespace is not", func(app *v1alpha1.Application) { app.Spec.Destination.Namespace = "blue" }, "blue"},
		"Application": {"it is in a namespace that the project does not have", func(app *v1alpha1.Application) { app.Namespace = "elsewhere" }, "elsewhere"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := application("web")
			tc.change(app)
			_, err := comparing(&shelf{}, &rendered{}, known{}).Admit(red(), app)
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestSignaturesComeFirst: nothing is rendered that is not signed as the project asks.
func TestSignaturesComeFirst(t *testing.T) {
	project := red()
	project.Spec.SignatureKeys = []v1alpha1.SignatureKey{{KeyID: "A"}}
	r := &rendered{refused: errors.New("not signed")}
	c := comparing(&shelf{}, r, known{})
	subject, err := c.Admit(project, application("web"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Application(t.Context(), subject, Ask{}); !errors.Is(err, r.refused) || len(r.inputs) > 0 {
		t.Errorf("it was rendered %d times: %v", len(r.inputs), err)
	}
	r.refused = nil
	if _, err := c.Application(t.Context(), subject, Ask{}); err != nil || r.inputs[0].Facts.KubeVersion != "1.34.0" || r.inputs[0].TrackingName != "web" {
		t.Errorf("it was rendered from %+v: %v", r.inputs, err)
	}
}

func TestComplete(t *testing.T) {
	for name, tc := range map[string]struct {
		sources v1alpha1.ApplicationSources
		says    string
	}{
		"none":    {nil, "it has no source"},
		"address": {v1alpha1.ApplicationSources{{Path: "."}}, "source 1"},
		"nothing": {v1alpha1.ApplicationSources{{RepoURL: "https://a", Path: "."}, {RepoURL: "https://a"}}, "source 2"},
		"whole":   {v1alpha1.ApplicationSources{{RepoURL: "https://a", Chart: "web"}, {RepoURL: "https://a", Ref: "values"}}, ""},
	} {
		if err := Complete(tc.sources); (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a project forbids needs its leave only where something is written for it; the
// error says where the object is written.
func TestActionsThatNeedLeave(t *testing.T) {
	foreign := keyOf("blue", "a")
	written := &gitops.Manifest{Origin: gitops.Origin{File: "a.yaml", Line: 3}}
	for name, tc := range map[string]struct {
		reason string
		action gitops.Action
		says   string
	}{
		"Own":       {"its project permits it", gitops.Action{Key: keyOf("red", "a"), Verb: gitops.Update}, ""},
		"Written":   {"it is named with its line", gitops.Action{Key: foreign, Verb: gitops.Create, Desired: written}, "a.yaml:3"},
		"Pruned":    {"so is what would go, which is written nowhere", gitops.Action{Key: foreign, Verb: gitops.Prune}, "blue"},
		"Skipped":   {"nothing is done", gitops.Action{Key: foreign, Verb: gitops.Skip}, ""},
		"Kept":      {"it stays as it is", gitops.Action{Key: foreign, Verb: gitops.Keep}, ""},
		"Hook":      {"a hook that runs is waited for", gitops.Action{Key: foreign, Verb: gitops.Keep, Hook: true}, "blue"},
		"Hook over": {"one that is over is not", gitops.Action{Key: foreign, Verb: gitops.Keep, Hook: true, Over: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			subject, err := comparing(&shelf{}, &rendered{}, known{}).Admit(red(), application("web"))
			if err != nil {
				t.Fatal(err)
			}
			if err := subject.PermitsAction(&tc.action); (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
