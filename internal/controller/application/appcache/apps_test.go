package appcache

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// cached has Applications and sets, as the shared cache has, which may be behind, and
// answers patches with the next version.
type cached struct {
	client.Client

	apps    []v1alpha1.Application
	sets    []v1alpha1.ApplicationSet
	down    error
	answer  string
	patched []string
}

func (c *cached) Get(_ context.Context, name types.NamespacedName, into client.Object, _ ...client.GetOption) error {
	if c.down != nil {
		return c.down
	}
	for i := range c.apps {
		if app, ok := into.(*v1alpha1.Application); ok && client.ObjectKeyFromObject(&c.apps[i]) == name {
			c.apps[i].DeepCopyInto(app)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (c *cached) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	elsewhere := func(namespace string) bool { return o.Namespace != "" && namespace != o.Namespace }
	switch list := into.(type) {
	case *v1alpha1.ApplicationList:
		list.Items = slices.DeleteFunc(slices.Clone(c.apps), func(a v1alpha1.Application) bool { return elsewhere(a.Namespace) })
	case *v1alpha1.ApplicationSetList:
		list.Items = slices.DeleteFunc(slices.Clone(c.sets), func(s v1alpha1.ApplicationSet) bool { return elsewhere(s.Namespace) })
	}
	return c.down
}

func (c *cached) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
	if c.down != nil {
		return c.down
	}
	_, whole := o.(*v1alpha1.Application)
	if c.patched = append(c.patched, o.GetName()); !whole {
		c.patched = append(c.patched, "metadata alone")
	}
	o.SetResourceVersion(c.answer)
	return nil
}

func application(name, version string, change ...func(*v1alpha1.Application)) v1alpha1.Application {
	app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, UID: types.UID(name), ResourceVersion: version}}
	for _, c := range change {
		c(&app)
	}
	return app
}

// TestOwnWritesAreRead before the cache has them, and until it has: a reconcile that goes
// by the status before would begin an operation twice.
func TestOwnWritesAreRead(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "web"}
	cases := map[string]struct {
		reason  string
		written string
		cache   v1alpha1.Application
		want    string
	}{
		"behind":    {"the cache has not seen it", "10", application("web", "9"), "10"},
		"seen":      {"it has it", "10", application("web", "10"), "10"},
		"ahead":     {"somebody wrote after it", "10", application("web", "11"), "11"},
		"made new":  {"another one has the name now", "10", application("web", "9", func(a *v1alpha1.Application) { a.UID = "other" }), "9"},
		"no number": {"a version that is no number is not compared", "ten", application("web", "9"), "9"},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			c := &cached{apps: []v1alpha1.Application{tc.cache}, answer: tc.written}
			a, app := New(c), application("web", "8")
			app.Status.ControllerNamespace = "ours"
			if err := a.Patch(t.Context(), &app, client.RawPatch(types.MergePatchType, nil)); err != nil {
				t.Fatal(err)
			}
			got, err := a.Get(t.Context(), name)
			if err != nil || got.ResourceVersion != tc.want {
				t.Fatalf("%s: read is version %s: %v", tc.reason, got.ResourceVersion, err)
			}
			got.Status.ControllerNamespace = "changed"
			again, err := a.Get(t.Context(), name)
			if err != nil || again.Status.ControllerNamespace == "changed" {
				t.Errorf("%s: who changes what was read changes what is read next: %v", tc.reason, err)
			}
		})
	}
}

// TestOwnWritesAreForgotten when the cache has caught up, or the Application is gone.
func TestOwnWritesAreForgotten(t *testing.T) {
	name := types.NamespacedName{Namespace: "argocd", Name: "web"}
	for label, change := range map[string]func(*cached){
		"seen": func(c *cached) { c.apps[0].ResourceVersion = "10" },
		"gone": func(c *cached) { c.apps = nil },
	} {
		c := &cached{apps: []v1alpha1.Application{application("web", "9")}, answer: "10"}
		a, app := New(c), application("web", "8")
		_ = a.Patch(t.Context(), &app, client.RawPatch(types.MergePatchType, nil))
		change(c)
		_, _ = a.Get(t.Context(), name)
		if len(a.written) > 0 {
			t.Errorf("%s: it is still kept", label)
		}
	}
}

// TestPatchesThatAreNotKept: one that failed, and one of what is not known as a whole,
// whose answer would have all of it.
func TestPatchesThatAreNotKept(t *testing.T) {
	app, large, broken := application("web", "8"), application("large", "8"), errors.New("no answer")
	large.Outlined = "it is too large"
	c := &cached{down: broken, answer: "10"}
	a := New(c)
	if err := a.Patch(t.Context(), &app, client.RawPatch(types.MergePatchType, nil)); !errors.Is(err, broken) || len(a.written) > 0 {
		t.Errorf("it is kept although it failed: %v", err)
	}
	c.down = nil
	if err := a.Patch(t.Context(), &large, client.RawPatch(types.MergePatchType, nil)); err != nil || len(a.written) > 0 || !slices.Equal(c.patched, []string{"large", "metadata alone"}) {
		t.Errorf("sent is %v, and kept are %d: %v", c.patched, len(a.written), err)
	}
	set := &v1alpha1.ApplicationSet{}
	if err := a.Patch(t.Context(), set, client.RawPatch(types.MergePatchType, nil)); err != nil || len(a.written) > 0 {
		t.Errorf("a set is kept: %v", err)
	}
}

// TestHas tells that there is none only where that is sure: what it made would go.
func TestHas(t *testing.T) {
	c := &cached{apps: []v1alpha1.Application{application("web", "1")}}
	a := New(c)
	got := []bool{a.Has(t.Context(), types.NamespacedName{Namespace: "argocd", Name: "web"}), a.Has(t.Context(), types.NamespacedName{Namespace: "team", Name: "web"})}
	c.down = errors.New("no answer")
	got = append(got, a.Has(t.Context(), types.NamespacedName{Namespace: "team", Name: "web"}))
	if diff := cmp.Diff([]bool{true, false, true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if every := a.Every(); every != nil {
		t.Errorf("a cache that does not answer has %v", every)
	}
}

// TestMatchingIsSorted and of one namespace, so that what is told of several is the same each time.
func TestMatchingIsSorted(t *testing.T) {
	c := &cached{apps: []v1alpha1.Application{application("c", "1"), application("a", "1"), application("d", "1", func(a *v1alpha1.Application) { a.Namespace = "team" }), application("b", "1")}}
	for _, name := range []string{"z", "x", "y"} {
		c.sets = append(c.sets, v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name}})
	}
	a := New(c)
	var got []string
	apps, err := a.Matching(t.Context(), "argocd", func(app *v1alpha1.Application) bool { return app.Name != "b" })
	if err != nil {
		t.Fatal(err)
	}
	for _, app := range apps {
		got = append(got, app.Name)
	}
	sets, err := a.MatchingSets(t.Context(), "argocd", func(s *v1alpha1.ApplicationSet) bool { return s.Name != "y" })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		got = append(got, s.Name)
	}
	if diff := cmp.Diff([]string{"a", "c", "x", "z"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.down = errors.New("no answer")
	if _, err := a.Matching(t.Context(), "argocd", func(*v1alpha1.Application) bool { return true }); err == nil {
		t.Error("a cache that does not answer has none")
	}
	if _, err := a.MatchingSets(t.Context(), "argocd", func(*v1alpha1.ApplicationSet) bool { return true }); err == nil {
		t.Error("a cache that does not answer has no sets")
	}
}

// TestChild is the Application that a live object is, and not one of its name on another cluster.
func TestChild(t *testing.T) {
	a := New(&cached{apps: []v1alpha1.Application{application("web", "1")}})
	of := func(namespace, uid string) bool {
		return a.Child(&gitops.Live{Key: gitops.Key{Namespace: namespace, Name: "web"}, UID: types.UID(uid)}) != nil
	}
	if !of("argocd", "web") || of("argocd", "other") || of("team", "web") {
		t.Error("an object is taken for another one's Application")
	}
}

// TestGeneratedBy are the Applications that go with a set. (TestChildApps of the guard
// tries who only says so.)
func TestGeneratedBy(t *testing.T) {
	yes, now := true, metav1.Now()
	of := func(version string) func(*v1alpha1.Application) {
		return func(a *v1alpha1.Application) {
			a.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.Group + "/" + version, Kind: v1alpha1.ApplicationSetKind, UID: "set", Controller: &yes}}
		}
	}
	a := New(&cached{apps: []v1alpha1.Application{
		application("made", "1", of("v1alpha1")), application("later", "1", of("v1")), application("going", "1", of("v1alpha1"), func(a *v1alpha1.Application) { a.DeletionTimestamp = &now }),
		application("elsewhere", "1", of("v1alpha1"), func(a *v1alpha1.Application) { a.Namespace = "team" }), application("nobody's", "1"),
	}})
	var got []string
	for _, app := range a.GeneratedBy(&gitops.Live{Key: gitops.Key{Namespace: "argocd", Name: "all"}, UID: "set"}) {
		got = append(got, app.Name)
	}
	if diff := cmp.Diff([]string{"made", "later"}, got); diff != "" {
		t.Errorf("with the set go (-want +got):\n%s", diff)
	}
}
