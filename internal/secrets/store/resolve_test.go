package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

func specOf(providers ...string) esv1.SecretStoreSpec {
	spec := esv1.SecretStoreSpec{Provider: map[string]apiextensionsv1.JSON{}}
	for _, name := range providers {
		spec.Provider[name] = apiextensionsv1.JSON{Raw: []byte(`{"of":"` + name + `"}`)}
	}
	return spec
}

func clustered(name string, conditions ...esv1.StoreCondition) *esv1.ClusterSecretStore {
	one := &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Generation: 3}, Spec: specOf("fake")}
	one.Spec.Conditions = conditions
	return one
}

func TestFind(t *testing.T) {
	namespaced := func(namespace, name string, spec esv1.SecretStoreSpec) *esv1.SecretStore {
		return &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Generation: 2}, Spec: spec}
	}
	foreign, own := specOf("fake"), specOf("fake")
	foreign.Controller, own.Controller = "other", "causeway"
	teams := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
	r := Resolver{Class: "causeway", Objects: objectsOf(
		namespaced("ns", "main", specOf("fake")), namespaced("ns", "none", specOf()), namespaced("ns", "two", specOf("vault", "fake")),
		namespaced("ns", "foreign", foreign), namespaced("ns", "own", own), namespaced("other", "theirs", specOf("fake")),
		clustered("all"), clustered("nobody", esv1.StoreCondition{}),
		clustered("listed", esv1.StoreCondition{Namespaces: []string{"x", "ns"}}), clustered("unlisted", esv1.StoreCondition{Namespaces: []string{"x"}}),
		clustered("labelled", esv1.StoreCondition{NamespaceSelector: teams}), clustered("every", esv1.StoreCondition{NamespaceSelector: &metav1.LabelSelector{}}),
		clustered("pattern", esv1.StoreCondition{NamespaceRegexes: []string{"^x", "^n"}}), clustered("no pattern", esv1.StoreCondition{NamespaceRegexes: []string{"("}}),
		clustered("no selector", esv1.StoreCondition{NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}}}),
		clustered("second", esv1.StoreCondition{Namespaces: []string{"x"}}, esv1.StoreCondition{NamespaceRegexes: []string{"s$"}}),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns", Labels: map[string]string{"team": "a"}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bare"}},
	)}
	ref := func(name string) esv1.SecretStoreRef { return esv1.SecretStoreRef{Name: name} }
	all := func(name string) esv1.SecretStoreRef {
		return esv1.SecretStoreRef{Name: name, Kind: esv1.ClusterSecretStoreKind}
	}
	for name, tc := range map[string]struct {
		reason, namespace string
		ref               esv1.SecretStoreRef
		want, err         string
		is                error
	}{
		"own":            {"a store of the namespace", "ns", ref("main"), "SecretStore ns/main", "", nil},
		"kind":           {"by its kind", "ns", esv1.SecretStoreRef{Name: "main", Kind: esv1.SecretStoreKind}, "SecretStore ns/main", "", nil},
		"theirs":         {"no store of another namespace", "ns", ref("theirs"), "", "SecretStore ns/theirs", ErrMissing},
		"absent":         {"one that is not there", "ns", ref("nope"), "", "SecretStore ns/nope", ErrMissing},
		"nameless":       {"a reference without a name", "ns", ref(""), "", "set secretStoreRef.name", ErrMissing},
		"unknown kind":   {"a kind that there is not", "ns", esv1.SecretStoreRef{Name: "main", Kind: "Vault"}, "", `its kind "Vault"`, ErrMissing},
		"away":           {"an API server that does not answer says nothing of the store", "ns", ref("away"), "", "cannot read SecretStore ns/away", errAway},
		"cluster away":   {"neither of one for all", "ns", all("away"), "", "cannot read ClusterSecretStore away", errAway},
		"no provider":    {"a store of nothing", "ns", ref("none"), "", "names 0 ()", ErrProvider},
		"two providers":  {"a store of two", "ns", ref("two"), "", "names 2 (fake, vault)", ErrProvider},
		"foreign":        {"a store of another controller", "ns", ref("foreign"), "", `of the controller "other"`, ErrOthers},
		"class":          {"a store of this one", "ns", ref("own"), "SecretStore ns/own", "", nil},
		"cluster":        {"one for all", "bare", all("all"), "ClusterSecretStore all", "", nil},
		"cluster absent": {"one for all that is not there", "ns", all("main"), "", "ClusterSecretStore main", ErrMissing},
		"listed":         {"one for a namespace by name", "ns", all("listed"), "ClusterSecretStore listed", "", nil},
		"unlisted":       {"and for no other", "ns", all("unlisted"), "", `"ns"`, ErrForbidden},
		"labelled":       {"one by labels", "ns", all("labelled"), "ClusterSecretStore labelled", "", nil},
		"unlabelled":     {"and for no other", "bare", all("labelled"), "", `"bare"`, ErrForbidden},
		"no namespace":   {"labels of a namespace that is gone", "gone", all("labelled"), "", "cannot read the labels of the namespace gone", nil},
		"every":          {"a selector of nothing selects all", "bare", all("every"), "ClusterSecretStore every", "", nil},
		"pattern":        {"one by a pattern", "ns", all("pattern"), "ClusterSecretStore pattern", "", nil},
		"unmatched":      {"and for no other", "bare", all("pattern"), "", `"bare"`, ErrForbidden},
		"bad pattern":    {"a pattern that is none admits nobody", "ns", all("no pattern"), "", "spec.conditions[0]: namespaceRegexes", nil},
		"bad selector":   {"nor does such a selector", "ns", all("no selector"), "", "spec.conditions[0]: namespaceSelector", nil},
		"second":         {"one condition is enough", "ns", all("second"), "ClusterSecretStore second", "", nil},
		"nobody":         {"a condition of nothing admits nobody", "ns", all("nobody"), "", `"ns"`, ErrForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := r.Find(t.Context(), tc.namespace, tc.ref)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || tc.is != nil && !errors.Is(err, tc.is) {
					t.Errorf("%s: got %v, want %q (%v)", tc.reason, err, tc.err, tc.is)
				}
				return
			}
			if err != nil || got.String() != tc.want || got.Provider != "fake" || string(got.Config) != `{"of":"fake"}` || got.UID != types.UID(tc.ref.Name) || got.Generation == 0 {
				t.Errorf("%s: got %v, %+v", tc.reason, err, got)
			}
		})
	}
}

func TestOf(t *testing.T) {
	one := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "u", Generation: 4}}
	got, err := Resolver{}.Of(one, specOf("vault"))
	want := Store{
		Kind: esv1.SecretStoreKind, NamespacedName: types.NamespacedName{Namespace: "ns", Name: "a"}, UID: "u", Generation: 4,
		Provider: "vault", Config: []byte(`{"of":"vault"}`),
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
