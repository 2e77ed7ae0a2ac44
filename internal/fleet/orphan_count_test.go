package fleet

import (
	"testing"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestCensusKeepsNamesAlone holds that of a tracking id nothing is kept but the
// application, in memory of its own: a part of a text keeps all of it.
func TestCensusKeepsNamesAlone(t *testing.T) {
	h := &headcount{census: &census{}, gvk: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, heads: map[place]head{}}
	id := gitops.TrackingID("web", gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"})
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "a", Annotations: map[string]string{gitops.AnnotationTracking: id},
	}}
	h.see(o)
	app := h.heads[placeOf(o)].app
	if app != "web" {
		t.Fatalf("it is counted as %q's", app)
	}
	if unsafe.StringData(app) == unsafe.StringData(id) {
		t.Error("the name of the application keeps the whole annotation")
	}
}

// TestCensusRecovers holds that objects for which there was no place count once, and
// are none too many any more when a list has all again.
func TestCensusRecovers(t *testing.T) {
	counts := &census{counts: map[watchKey]*headcount{}, heads: maxHeads - 1}
	h := &headcount{census: counts, gvk: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, heads: map[place]head{}}
	counts.counts[watchKey{gvk: h.gvk}] = h
	object := func(name string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
	}
	h.see(object("a"))
	if _, err := counts.in("edge", "shop"); err != nil {
		t.Fatalf("as many as there may be are refused: %v", err)
	}
	for range 3 {
		h.see(object("b"))
	}
	if _, err := counts.in("edge", "shop"); err == nil {
		t.Fatal("one is missing, and that is not said")
	}
	h.drop(placeOf(object("a")))
	h.begin()
	h.page(object("b"))
	h.end("")
	all, err := counts.in("edge", "shop")
	if err != nil || len(all) != 1 || all[0].Key.Name != "b" {
		t.Errorf("after a list that has all: %v, %v", all, err)
	}
}
