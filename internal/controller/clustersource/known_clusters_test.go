package clustersource

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// Which kubeconfigs a source has clusters of: those of its own Secrets that say where they
// were found. What somebody wrote by hand is nobody's, whatever it says.
func TestWhatASourceHas(t *testing.T) {
	o := &others{origins: map[string]string{}}
	secret := func(name, source, from string) {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}, Annotations: map[string]string{causeway.AnnotationFoundIn: from}}}
		s.Data = map[string][]byte{"name": []byte(name), "server": []byte("https://" + name + ".example.com")}
		if source != "" {
			s.Labels[causeway.LabelClusterSource] = source
		}
		o.add(s)
	}
	secret("ours", "s", "team/ours")
	secret("older", "s", "")
	secret("theirs", "t", "team/theirs")
	secret("by-hand", "", "team/by-hand")
	has := func(source string) []string {
		out := []string{}
		return append(out, slices.Sorted(maps.Keys(o.taken(source)))...)
	}
	for what, c := range map[string][2][]string{
		"of the source":      {{"team/ours"}, has("s")},
		"of another":         {{"team/theirs"}, has("t")},
		"of nobody":          {{}, has("")},
		"Secrets of sources": {{"older", "ours", "theirs"}, slices.Sorted(maps.Keys(o.origins))},
	} {
		if diff := cmp.Diff(c[0], c[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}

	again := func(problem bool, name, server string) {
		t.Helper()
		w := wanted{from: "team/new", object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"server": []byte(server)}}}
		if err := o.refuse(w); (err != nil) != problem {
			t.Errorf("%s at %s: %v", name, server, err)
		}
	}
	again(true, "new", "https://ours.example.com")
	o.drop("ours")
	again(false, "new", "https://ours.example.com") // what is deleted stands in nobody's way
	if diff := cmp.Diff([]string{}, has("s")); diff != "" {
		t.Errorf("the place of what is deleted (-want +got):\n%s", diff)
	}
}
