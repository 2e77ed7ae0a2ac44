package application

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// looked is a cluster, and the sources, that count who has them looked at again.
type looked struct {
	state.Cluster
	Fetcher

	redials, renewals int
}

func (l *looked) Redial() { l.redials++ }

func (l *looked) Renew(refs ...gitops.SourceRef) { l.renewals += len(refs) }

func TestRefreshAsksGitAndTheCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		kind   v1alpha1.RefreshType
		want   int
	}{
		"Asked":    {"a cluster that does not answer may have been repaired", v1alpha1.RefreshTypeNormal, 1},
		"NotAsked": {"a look that nobody asked for waits for its turn", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := &looked{}
			r := &Reconciler{Options: Options{Fetch: l}}
			target := &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Cluster: l, Sources: v1alpha1.ApplicationSources{web}}}
			r.refresh(target, tc.kind)
			if l.redials != tc.want || l.renewals != tc.want || target.Asked != (tc.want > 0) {
				t.Errorf("%s: the cluster was asked %d times, Git %d times, asked %t", tc.reason, l.redials, l.renewals, target.Asked)
			}
		})
	}
}
