package operate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestFinalizersOfADeletion(t *testing.T) {
	const other, hooks = "example.com/other", v1alpha1.FinalizerPreDelete + "/cleanup"
	all := []string{other, v1alpha1.FinalizerResources, v1alpha1.FinalizerPreDelete, hooks, v1alpha1.FinalizerPostDelete}
	cases := map[string]struct {
		reason   string
		flags    deleteFlags
		have     []string
		deleting bool
		want     []string
	}{
		"as it says":        {"without flags the Application's own finalizers count", deleteFlags{}, all, false, all},
		"cascade":           {"what is missing is added", deleteFlags{cascade: true}, []string{other}, false, []string{other, v1alpha1.FinalizerResources}},
		"cascade already":   {"what is there stays as it is", deleteFlags{cascade: true}, []string{v1alpha1.FinalizerResourcesBackground}, false, []string{v1alpha1.FinalizerResourcesBackground}},
		"no cascade":        {"hooks run all the same", deleteFlags{noCascade: true}, all, false, []string{other, v1alpha1.FinalizerPreDelete, hooks, v1alpha1.FinalizerPostDelete}},
		"no hooks":          {"the objects go all the same", deleteFlags{noHooks: true}, all, false, []string{other, v1alpha1.FinalizerResources}},
		"propagation":       {"one finalizer names it", deleteFlags{propagation: "background"}, []string{v1alpha1.FinalizerResources}, false, []string{v1alpha1.FinalizerResourcesBackground}},
		"hangs":             {"a deletion that hangs can be told to leave the objects", deleteFlags{noCascade: true, noHooks: true}, all, true, []string{other}},
		"nothing to add to": {"nothing can be added to an object that is being deleted", deleteFlags{cascade: true}, []string{other}, true, []string{other}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Finalizers: slices.Clone(c.have)}}
			if c.deleting {
				now := metav1.Now()
				app.DeletionTimestamp = &now
			}
			if diff := cmp.Diff(c.want, c.flags.finalizers(app)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if diff := cmp.Diff(c.have, app.Finalizers); diff != "" {
				t.Errorf("the Application was changed:\n%s", diff)
			}
		})
	}
}

func TestDeletionPreview(t *testing.T) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop", Finalizers: []string{v1alpha1.FinalizerPreDelete}}}
	app.Spec.Destination.Name = "prod"
	app.Status.Resources = []v1alpha1.ResourceStatus{{Kind: "Namespace", Name: "shop", RequiresDeletionConfirmation: true}}
	d := &deleteFlags{cascade: true}
	text := d.preview(app, "shop")
	for _, word := range []string{"shop in prod", "with its objects (1 object)", "Namespace shop", "causeway approve shop", "PreDelete hooks"} {
		if !strings.Contains(text, word) {
			t.Errorf("the preview does not say %q:\n%s", word, text)
		}
	}
}

func TestReadable(t *testing.T) {
	cases := map[string]struct{ name, want string }{
		"object":      {"apps/Deployment:shop/web", "Deployment.apps shop/web"},
		"core":        {"/ConfigMap:shop/settings", "ConfigMap shop/settings"},
		"cluster":     {"/Namespace:/shop", "Namespace shop"},
		"colon":       {"rbac.authorization.k8s.io/ClusterRole:/system:a", "ClusterRole.rbac.authorization.k8s.io system:a"},
		"application": {"addons-dev", "addons-dev"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := readable(c.name); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestDeletionPreviewHasAnEnd, and the same order each time.
func TestDeletionPreviewHasAnEnd(t *testing.T) {
	app := clitest.Settled()
	app.Finalizers = []string{v1alpha1.FinalizerPostDelete, v1alpha1.FinalizerPreDelete}
	for range shownObjects + 3 {
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Kind: "ConfigMap", Name: "a"})
	}
	for range 20 {
		text := (&deleteFlags{}).preview(app, "team/shop")
		if !strings.HasSuffix(text, "  "+gitops.More(3)+": causeway tree team/shop\n  and its PreDelete hooks run\n  and its PostDelete hooks run\n") || strings.Count(text, "ConfigMap a\n") != shownObjects {
			t.Fatalf("got\n%s", text)
		}
		if !strings.Contains(text, "its objects stay (23 objects)") {
			t.Fatalf("got\n%s", text)
		}
	}
}
