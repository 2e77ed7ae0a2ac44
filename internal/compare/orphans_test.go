package compare

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// strays are those of namespace red; a nil list cannot be had.
type strays []gitops.Stray

func (s strays) Strays(_ context.Context, _, namespace string) ([]gitops.Stray, error) {
	if s == nil || namespace != "red" {
		return nil, errors.New("away")
	}
	return s, nil
}

// An object is an orphan if nobody has it: what an application has that is there is not
// one, whatever this one is.
func TestOrphans(t *testing.T) {
	stray := func(name, app string) gitops.Stray { return gitops.Stray{Key: keyOf("red", name), App: app} }
	found := strays{stray("z", ""), stray("mine", ""), stray("others", "blue"), stray("left", "gone"), stray("a", ""), stray("kube-root-ca.crt", ""), stray("ignored", "")}
	asks := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{OrphanedResources: &v1alpha1.OrphanedResourcesMonitorSettings{
		Ignore: []v1alpha1.OrphanedResourceKey{{Kind: "ConfigMap", Name: "ign*"}},
	}}}
	for name, tc := range map[string]struct {
		reason    string
		project   *v1alpha1.AppProject
		in        strays
		namespace string
		want      []gitops.Key
		fails     bool
	}{
		"Sorted":       {"nobody's, and those of an application that is gone", asks, found, "red", []gitops.Key{keyOf("red", "a"), keyOf("red", "left"), keyOf("red", "z")}, false},
		"Not asked":    {"a project that does not ask has the cluster not asked", red(), nil, "red", nil, false},
		"No namespace": {"an application of no namespace has none to look at", asks, nil, "", nil, false},
		"Away":         {"what cannot be listed is not none", asks, nil, "red", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			had := func(s gitops.Stray) bool { return s.Key.Name == "mine" }
			gone := func(s gitops.Stray) bool { return s.App == "gone" }
			got, err := Orphans(t.Context(), tc.project, tc.in, "web", tc.namespace, had, gone)
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
