package helm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// TestLockedVersions: a lock says which release of each dependency was meant, so two
// renders of one commit are of the same charts.
func TestLockedVersions(t *testing.T) {
	of := func(name, version, repository string) *chart.Dependency {
		return &chart.Dependency{Name: name, Version: version, Repository: repository}
	}
	wanted := []*chart.Dependency{of("a", "1.x", "https://one"), of("b", "^2", "https://one")}
	locked := []*chart.Dependency{of("a", "1.4.0", "https://one"), of("b", "2.1.0", "https://one")}
	for name, tc := range map[string]struct {
		reason string
		wanted []*chart.Dependency
		lock   *chart.Lock
		want   []string // nothing where the lock is refused
	}{
		"None":      {"without a lock that what is asked for counts", wanted, nil, []string{"1.x", "^2"}},
		"Today":     {"the digest of today's Helm has what is asked for and what was found", wanted, &chart.Lock{Digest: digestOf([2][]*chart.Dependency{wanted, locked}), Dependencies: locked}, []string{"1.4.0", "2.1.0"}},
		"Former":    {"that of Helm 2 has what is asked for", wanted, &chart.Lock{Digest: digestOf(map[string][]*chart.Dependency{"dependencies": wanted}), Dependencies: locked}, []string{"1.4.0", "2.1.0"}},
		"Edited":    {"a version that somebody edited in the lock was never found", wanted, &chart.Lock{Digest: digestOf([2][]*chart.Dependency{wanted, locked}), Dependencies: []*chart.Dependency{of("a", "6.6.6", "https://one"), locked[1]}}, nil},
		"Asked":     {"nor is a lock for what is asked for since", []*chart.Dependency{of("a", "2.x", "https://one"), wanted[1]}, &chart.Lock{Digest: digestOf([2][]*chart.Dependency{wanted, locked}), Dependencies: locked}, nil},
		"Unsigned":  {"one without a digest is believed, in another order as well", wanted, &chart.Lock{Dependencies: []*chart.Dependency{locked[1], locked[0]}}, []string{"1.4.0", "2.1.0"}},
		"Missing":   {"what it lacks is as it is asked for", wanted, &chart.Lock{Dependencies: locked[:1]}, []string{"1.4.0", "^2"}},
		"Moved":     {"a chart of another repository is another one", wanted, &chart.Lock{Dependencies: []*chart.Dependency{of("a", "1.9.0", "https://two"), locked[1]}}, []string{"1.x", "2.1.0"}},
		"Twice":     {"one chart may be there twice, each at its place", []*chart.Dependency{of("a", "1.x", "https://one"), of("a", "2.x", "https://one")}, &chart.Lock{Dependencies: []*chart.Dependency{of("a", "1.4.0", "https://one"), of("a", "2.4.0", "https://one")}}, []string{"1.4.0", "2.4.0"}},
		"NoEntry":   {"an entry that says nothing is none", wanted, &chart.Lock{Dependencies: []*chart.Dependency{nil, locked[1]}}, []string{"1.x", "2.1.0"}},
		"NoEntries": {"nor has an empty lock any", wanted, &chart.Lock{}, []string{"1.x", "^2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, chartFiles(), v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
			ch := &chart.Chart{Metadata: &chart.Metadata{Name: "web", Dependencies: tc.wanted}, Lock: tc.lock}
			got, err := lockedVersions(ch, source.File{Tree: s.Tree, Name: "web"})
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != (tc.want == nil) || err != nil && !gitops.IsProblem(err, gitops.Invalid) {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
