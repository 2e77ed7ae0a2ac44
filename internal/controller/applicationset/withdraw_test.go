package applicationset

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestWithdrawn(t *testing.T) {
	const odd = "a~1/b"
	for name, c := range map[string]struct {
		reason, annotation, value string
		uid                       types.UID
		applies                   bool
	}{
		"same":    {"the request that was answered", v1alpha1.AnnotationApplicationSetRefresh, `tr"ue`, "uid-1", true},
		"escaped": {"any key is found", odd, `tr"ue`, "uid-1", true},
		"other":   {"a later one", v1alpha1.AnnotationApplicationSetRefresh, "again", "uid-1", false},
		"gone":    {"somebody was faster", v1alpha1.AnnotationApplicationSetRefresh, "", "uid-1", false},
		"anew":    {"the set is another one of that name", v1alpha1.AnnotationApplicationSetRefresh, `tr"ue`, "uid-2", false},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := withdrawn("uid-1", c.annotation, `tr"ue`)
			if err != nil {
				t.Fatal(err)
			}
			patch, err := jsonpatch.DecodePatch(text)
			if err != nil {
				t.Fatal(err)
			}
			set := annotated("")
			if set.UID = c.uid; c.value != "" {
				set.Annotations = map[string]string{c.annotation: c.value}
			}
			if text, err = json.Marshal(set); err != nil {
				t.Fatal(err)
			}
			out, err := patch.Apply(text)
			if (err == nil) != c.applies {
				t.Fatalf("%s: error %v", c.reason, err)
			}
			left := &v1alpha1.ApplicationSet{}
			if err == nil && (json.Unmarshal(out, left) != nil || len(left.Annotations) != 0) {
				t.Errorf("%s: left %s", c.reason, out)
			}
		})
	}
}
