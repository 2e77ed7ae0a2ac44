package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// notApplied are the kinds that nobody keeps in Git, and why.
var notApplied = map[string]string{
	"Binding":                   "an order to the API server, which keeps nothing of it",
	"ComponentStatus":           "computed by the API server; it cannot be written",
	"Event":                     "written by controllers, and gone after an hour",
	"Node":                      "written by the kubelet",
	"CSINode":                   "written by the kubelet",
	"APIService":                "without a server behind it, discovery fails for everybody",
	"TokenReview":               "a question to the API server, which keeps nothing of it",
	"SelfSubjectReview":         "a question to the API server, which keeps nothing of it",
	"LocalSubjectAccessReview":  "a question to the API server, which keeps nothing of it",
	"SelfSubjectAccessReview":   "a question to the API server, which keeps nothing of it",
	"SelfSubjectRulesReview":    "a question to the API server, which keeps nothing of it",
	"SubjectAccessReview":       "a question to the API server, which keeps nothing of it",
	"CertificateSigningRequest": "a question to its signers, and gone after a day",
	"Application":               "the engine under test would run it; other tests do",
	"ApplicationSet":            "the engine under test would run it; other tests do",
	"AppProject":                "the engine under test would run it; other tests do",
}

// TestNoNoise applies an object of every kind that the control plane serves.
// Nothing differs afterwards, and an engine that remembers nothing finds the
// same, and writes nothing.
func TestNoNoise(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.keep() // the revision; what is known of objects is in memory alone
	manifests := e.everyKind()
	e.write("all/all.yaml", manifests)
	stop := e.restart()
	e.app("all", "all")
	e.until("all", "synced", func(app *v1alpha1.Application) bool {
		return synced(app) && app.Status.OperationState.Phase.Successful()
	})
	stop()
	before := e.versions(manifests)
	app := e.comparedAnew("all")
	after := e.versions(manifests)
	for key, entry := range before {
		if after[key] != entry {
			t.Errorf("%s was written again: our entry is of %s, and was of %s", key, after[key], entry)
		}
	}
	t.Logf("%d objects of %d kinds are in sync", len(app.Status.Resources), len(before))
}

// everyKind reads the examples, and checks that no kind is forgotten.
func (e *engine) everyKind() string {
	e.t.Helper()
	data, err := os.ReadFile("testdata/every-kind.yaml")
	if err != nil {
		e.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "NAMESPACE", e.namespace)
	have := map[string]bool{}
	for _, o := range decoded(e.t, text) {
		have[o.GroupVersionKind().Group+"/"+o.GetKind()] = true
	}
	for _, kind := range served(e.t, hubConfig) {
		group, name, _ := strings.Cut(kind, "/")
		if notApplied[name] == "" && !have[kind] && !ofOtherTests(group) {
			e.t.Errorf("the control plane serves %s, which has no example in testdata/every-kind.yaml", kind)
		}
	}
	return text
}

// ofOtherTests reports whether kinds of a group are defined by other tests of this control
// plane alone: it serves no kind of the secrets unless their engine is asked to.
func ofOtherTests(group string) bool {
	return strings.HasSuffix(group, "example.com") || strings.HasSuffix(group, "external-secrets.io")
}

// served are the kinds that can be created, as group/kind.
func served(t *testing.T, cfg *rest.Config) []string {
	t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := d.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		t.Fatal(err)
	}
	var out []string
	for _, list := range lists {
		group, _, ok := strings.Cut(list.GroupVersion, "/")
		if !ok {
			group = ""
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "create") {
				out = append(out, group+"/"+r.Kind)
			}
		}
	}
	return out
}

func decoded(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 1<<16); ; {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			out = append(out, o)
		}
	}
}

// versions tells when our fields of each object were written.
func (e *engine) versions(manifests string) map[string]string {
	e.t.Helper()
	out := map[string]string{}
	for _, o := range decoded(e.t, manifests) {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(o.GroupVersionKind())
		if err := e.Get(context.Background(), placeOf(o, e.namespace), live); err != nil {
			e.t.Errorf("%s: %v", o.GetKind(), err)
			continue
		}
		for _, entry := range live.GetManagedFields() {
			if entry.Manager == "causeway" {
				out[fmt.Sprintf("%s/%s %s", o.GroupVersionKind().Group, o.GetKind(), o.GetName())] = entry.Time.String()
			}
		}
	}
	return out
}

// placeOf names an object where the application puts it. The API server ignores
// the namespace of a kind that has none.
func placeOf(o *unstructured.Unstructured, namespace string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: o.GetName()}
}
