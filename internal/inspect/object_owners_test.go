package inspect

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// tracked is a ConfigMap with a tracking id.
func tracked(name, id string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "shop", "name": name}}}
	if id != "" {
		o.SetAnnotations(map[string]string{gitops.AnnotationTracking: id})
	}
	return o
}

// TestBelongings tells whose a live object is: that sources list it makes it
// nobody's whose tracking id it does not bear, where it bears another one's.
func TestBelongings(t *testing.T) {
	cases := map[string]struct {
		reason, id string
		listed     bool
		want       string
	}{
		"Own":          {"it bears the tracking id", "web:/ConfigMap:shop/a", false, "own"},
		"Listed":       {"the sources have it, and it is nobody's", "", true, "own"},
		"Copied":       {"an id that is another object's names nobody", "blue:/ConfigMap:shop/b", true, "own"},
		"NoID":         {"what is no tracking id names nobody", "blue", true, "own"},
		"Others":       {"another application has it, and the sources list it", "blue:/ConfigMap:shop/a", true, "of blue"},
		"OthersUnread": {"what the sources do not list is not told of", "blue:/ConfigMap:shop/a", false, "nothing"},
		"Nobodys":      {"neither listed nor tracked", "", false, "nothing"},
	}
	a := &admission{subject: subject{Tracking: "web"}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := tracked("a", tc.id)
			got := a.sorted([]*unstructured.Unstructured{o}, map[gitops.Key]bool{gitops.KeyOf(o): tc.listed})
			is := "nothing"
			switch {
			case slices.Contains(got.own, o):
				is = "own"
			case slices.Contains(got.others, o):
				is = "of " + a.holder(o)
			}
			if is != tc.want {
				t.Errorf("%s: it is %s, want %s", tc.reason, is, tc.want)
			}
		})
	}
}

// TestHeldDiff: of what another application has no content is compared.
func TestHeldDiff(t *testing.T) {
	key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	of := func(id string) *gitops.Action {
		return &gitops.Action{Verb: gitops.Update, Key: key, Desired: &gitops.Manifest{}, Live: &gitops.Live{Key: key, Tracking: id}}
	}
	d := heldDiff(of("blue:/ConfigMap:shop/a"), "web")
	if d == nil || d.Verb != gitops.Keep || !strings.Contains(d.Kept, "application blue") || len(d.Diff.Changes) > 0 {
		t.Errorf("it is told as %+v", d)
	}
	hook := of("blue:/ConfigMap:shop/a")
	hook.Hook = true
	missing := of("")
	missing.Live = nil
	for name, a := range map[string]*gitops.Action{"its own": of("web:/ConfigMap:shop/a"), "nobody's": of(""), "a copied id": of("blue:/ConfigMap:shop/b"), "a hook": hook, "what is not there": missing} {
		if d := heldDiff(a, "web"); d != nil {
			t.Errorf("%s is told as %+v", name, d)
		}
	}
}
