package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What tools note for themselves is no metadata of a cluster; a label with the same
// name is one, because nobody keeps books with it.
func TestKeysOfAClusterAreThoseThatPeopleSet(t *testing.T) {
	c := Cluster{Cluster: gitops.Cluster{
		Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "b": "", "a": "", "managed-by": "us"},
		Annotations: map[string]string{
			"kubectl.kubernetes.io/last-applied-configuration": "{}", v1alpha1.AnnotationRefresh: "hard", v1alpha1.AnnotationTrackingID: "x",
			"managed-by": "argocd.argoproj.io", "argocd.argoproj.io/installation-id": "x", "argocd.argoproj.io/sync-wave": "1", "a": "", "A": "",
		},
	}}
	want := []Key{{Label, "a"}, {Label, "b"}, {Label, "managed-by"}, {Annotation, "A"}, {Annotation, "a"}, {Annotation, "argocd.argoproj.io/sync-wave"}}
	if diff := cmp.Diff(want, c.Keys()); diff != "" {
		t.Errorf("labels before annotations, each by name (-want +got):\n%s", diff)
	}
}

func TestParametersNameKeys(t *testing.T) {
	cases := map[string]struct {
		reason, parameter string
		want              Key
		ok                bool
	}{
		"Label":      {"a label", "metadata.labels.tier", Key{Label, "tier"}, true},
		"Annotation": {"a name with dots and a slash", "metadata.annotations.a.b/c", Key{Annotation, "a.b/c"}, true},
		"Map":        {"all labels are no key", "metadata.labels", Key{}, false},
		"NoName":     {"nor is what has no name", "metadata.annotations.", Key{}, false},
		"NoLabel":    {"be it a label", "metadata.labels.", Key{}, false},
		"Other":      {"what is no metadata", "name", Key{}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := keyOf(tc.parameter)
			if got != tc.want || ok != tc.ok {
				t.Errorf("%s: %s is %v, %t", tc.reason, tc.parameter, got, ok)
			}
			if ok && got.Parameter() != tc.parameter {
				t.Errorf("%s: it is asked for as %s", tc.reason, got.Parameter())
			}
		})
	}
}

// Suppositions and traces change copies: the fleet that they are about is shared.
func TestEditsAreMadeOnCopies(t *testing.T) {
	for name, k := range map[string]Key{"label": {Label, "a"}, "annotation": {Annotation, "a"}, "new label": {Label, "b"}} {
		t.Run(name, func(t *testing.T) {
			c := Cluster{Cluster: gitops.Cluster{Name: "prod", Labels: map[string]string{"a": "1"}, Annotations: map[string]string{"a": "1"}}}
			before := Cluster{Cluster: gitops.Cluster{Name: "prod", Labels: map[string]string{"a": "1"}, Annotations: map[string]string{"a": "1"}}}
			changed := Cluster{Cluster: c.With(k, "2")}
			if got, ok := changed.Value(k); got != "2" || !ok {
				t.Errorf("the changed one has %q, %t", got, ok)
			}
			dropped := Cluster{Cluster: c.edited([]Edit{{Key: k, Value: "3"}, {Key: k, Drop: true}})}
			if got, ok := dropped.Value(k); ok {
				t.Errorf("the last of several edits counts, and there is %q", got)
			}
			if diff := cmp.Diff(before.Cluster, c.Cluster); diff != "" {
				t.Errorf("the cluster itself is another one:\n%s", diff)
			}
		})
	}
	bare := Cluster{Cluster: gitops.Cluster{Name: "in-cluster"}}
	if got := bare.With(Key{Label, "a"}, "1").Labels["a"]; got != "1" {
		t.Errorf("a cluster without labels gets %q", got)
	}
	if got := bare.edited([]Edit{{Key: Key{Annotation, "a"}, Drop: true}}); len(got.Annotations) > 0 {
		t.Errorf("a cluster without annotations loses %v", got.Annotations)
	}
}
