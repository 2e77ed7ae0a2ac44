package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// An object that carries another application's tracking id is not the
// application's, whatever its sources list: it is neither shown nor acted on
// before a sync has taken it over.
func TestObjectOfAnotherApplicationThatSourcesList(t *testing.T) {
	b := newBorder(t)
	held := func(name string) *corev1.ConfigMap {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.ours, Name: name}, Data: map[string]string{"colour": "treasure"}}
		o.Annotations = map[string]string{gitops.AnnotationTracking: gitops.TrackingID(b.theirs+"_shop", gitops.Key{Kind: "ConfigMap", Namespace: b.ours, Name: name})}
		return o
	}
	for _, name := range []string{"held-listed", "held-else"} {
		if err := b.Create(t.Context(), held(name)); err != nil {
			t.Fatal(err)
		}
	}
	b.Write("held/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: held-listed}, data: {colour: red}}")
	at, id := b.forge("held", b.ours, func(s *v1alpha1.ApplicationSpec) { s.Source.Path = "held" })
	for _, name := range []string{"held-listed", "held-else"} {
		code, text := b.ask(request{http.MethodGet, at + "/object?version=v1&kind=ConfigMap&objectName=" + name + "&objectNamespace=" + b.ours, ""})
		if strings.Contains(text, "treasure") {
			t.Errorf("%s of another application: %d %s", name, code, text)
		}
		// Whose it is is told of what the sources have: somebody who takes it over needs to know.
		if told := code == http.StatusOK && strings.Contains(text, b.theirs+"_shop"); told != (name == "held-listed") {
			t.Errorf("whose %s is: %d %s", name, code, text)
		}
		for _, path := range []string{"/events", "/objects/actions"} {
			r := request{http.MethodGet, at + path + "?version=v1&kind=ConfigMap&objectName=" + name + "&objectNamespace=" + b.ours, ""}
			if code, text := b.ask(r); code < http.StatusBadRequest {
				t.Errorf("%s: %d %s", r.path, code, text)
			}
		}
	}
	for _, r := range []request{{http.MethodGet, at + "/diff", ""}, {http.MethodGet, fmt.Sprintf("/v1/applications/%s/managed-resources?appNamespace=%s", id, b.ours), ""}} {
		if code, text := b.ask(r); strings.Contains(text, "treasure") {
			t.Errorf("%s: %d %s", r.path, code, text)
		}
	}
}
