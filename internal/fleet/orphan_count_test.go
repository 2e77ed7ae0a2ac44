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
