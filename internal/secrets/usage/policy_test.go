package usage

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

func TestSays(t *testing.T) {
	for name, tc := range map[string]struct {
		reason          string
		annotations     map[string]string
		restart, stated bool
	}{
		"nothing": {"others say nothing of restarts", map[string]string{"other": "true"}, false, false},
		"yes":     {"the one word that is a yes", map[string]string{esv1.AnnotationRestart: "true"}, true, true},
		"no":      {"a no, which is heard before whoever comes after", map[string]string{esv1.AnnotationRestart: "false"}, false, true},
		"empty":   {"it is there, and not true", map[string]string{esv1.AnnotationRestart: ""}, false, true},
		"other":   {"what is not true is a no", map[string]string{esv1.AnnotationRestart: "True"}, false, true},
	} {
		if restart, stated := Says(tc.annotations); restart != tc.restart || stated != tc.stated {
			t.Errorf("%s: %s: restart %t, stated %t", name, tc.reason, restart, stated)
		}
	}
}

func TestStores(t *testing.T) {
	of := func(kind, name string) *esv1.StoreSourceRef {
		return &esv1.StoreSourceRef{SecretStoreRef: esv1.SecretStoreRef{Kind: kind, Name: name}}
	}
	from := func(kind, name string) *esv1.StoreGeneratorSourceRef {
		return &esv1.StoreGeneratorSourceRef{SecretStoreRef: &esv1.SecretStoreRef{Kind: kind, Name: name}}
	}
	own := esv1.SecretStoreRef{Name: "a"}
	for name, tc := range map[string]struct {
		reason string
		spec   esv1.ExternalSecretSpec
		want   []string
	}{
		"own": {"keys without a store are of the ExternalSecret's", esv1.ExternalSecretSpec{SecretStoreRef: own, Data: []esv1.ExternalSecretData{{}}, DataFrom: []esv1.ExternalSecretDataFrom{{}}}, []string{"ns/a"}},
		"keys": {
			"those of single keys, and of many", esv1.ExternalSecretSpec{
				SecretStoreRef: own, Data: []esv1.ExternalSecretData{{SourceRef: of("", "b")}, {SourceRef: of("", "b")}},
				DataFrom: []esv1.ExternalSecretDataFrom{{SourceRef: from("ClusterSecretStore", "b")}},
			}, []string{"ns/a", "ns/b", "/b"},
		},
		"generator": {
			"a generator is no store", esv1.ExternalSecretSpec{
				Data:     []esv1.ExternalSecretData{{SourceRef: &esv1.StoreSourceRef{GeneratorRef: &esv1.GeneratorRef{Name: "g"}}}},
				DataFrom: []esv1.ExternalSecretDataFrom{{SourceRef: &esv1.StoreGeneratorSourceRef{GeneratorRef: &esv1.GeneratorRef{Name: "g"}}}},
			}, nil,
		},
	} {
		var got []string
		for _, ref := range Stores(&esv1.ExternalSecret{Spec: tc.spec}) {
			got = append(got, StoreKey("ns", ref).String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
	}
}
