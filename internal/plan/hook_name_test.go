package plan_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// A generated name is one that API servers take, whatever the revision of the sources is.
func TestGeneratedNamesOfHooks(t *testing.T) {
	cases := map[string]struct{ reason, revision, want string }{
		"Commit":   {"the beginning of a commit", "0123456789abcdef0123456789abcdef01234567", "x-0123456-postsync-7"},
		"Version":  {"a version of a chart", "1.2.3", "x-1.2.3-postsync-7"},
		"Dot":      {"which does not end in a dot", "10.100.1", "x-10.100-postsync-7"},
		"Capitals": {"a name has no capitals", "1.0-RC1", "x-1.0-rc1-postsync-7"},
		"Build":    {"and no plus", "1.2.3+b.7", "x-1.2.3-b-postsync-7"},
		"Digest":   {"a digest is one without its algorithm", "sha256:fedcba9876543210", "x-fedcba9-postsync-7"},
		"None":     {"nothing is known of it", "", "x--postsync-7"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := desired(t, application(), "{apiVersion: batch/v1, kind: Job, metadata: {generateName: x-, annotations: {argocd.argoproj.io/hook: PostSync}}}")
			p, err := plan.Make(plan.Input{Set: set, Hooks: true, Revision: tc.revision, Started: time.Unix(7, 0)})
			if err != nil {
				t.Fatal(err)
			}
			a := p.Waves[0].Actions[0]
			if wrong := content.IsDNS1123Subdomain(a.Key.Name); len(wrong) > 0 {
				t.Errorf("%s: %q is no name: %v", tc.reason, a.Key.Name, wrong)
			}
			if a.Key.Name != tc.want || !strings.HasSuffix(tc.want, a.Desired.Object.GetAnnotations()[gitops.AnnotationHookRun]) {
				t.Errorf("%s: the name is %q, want %q", tc.reason, a.Key.Name, tc.want)
			}
		})
	}
}
