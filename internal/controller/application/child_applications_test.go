package application

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// hubCluster is the cluster on which a parent's children are.
type hubCluster struct{ state.Cluster }

func (hubCluster) Desc() gitops.Cluster { return gitops.Cluster{Server: gitops.HubServer} }

func TestChildrenCountOnceComparedWithTheParentsCommit(t *testing.T) {
	const older, newer = "0000001", "0000002"
	well, ill := gitops.Health{Code: gitops.Healthy}, gitops.Health{Code: gitops.Degraded, Message: "no progress"}
	waits := func(why string) gitops.Health { return gitops.Health{Code: gitops.Progressing, Message: why} }
	unseen := waits("Waiting for a comparison with the newest commit")
	cases := map[string]struct {
		reason string
		began  string // revision with which the parent's sync began
		parent string // revision that the parent is at
		child  string // revision that the child was compared with; none when empty
		health gitops.Health
		want   gitops.Health
	}{
		"same":           {"both have the commit", newer, newer, newer, well, well},
		"before":         {"the child has still to see it", newer, newer, older, well, unseen},
		"never":          {"nobody knows what the child's status is about", newer, newer, "", well, unseen},
		"no health":      {"what passes as healthy has to be compared, too", newer, newer, older, gitops.Health{}, unseen},
		"both went on":   {"a commit came during the sync that changes nothing of the parent", older, newer, newer, well, well},
		"parent went on": {"and the child has still to see it", older, newer, older, well, unseen},
		"ill":            {"it is waited for anyway, and says why", newer, newer, newer, ill, ill},
		"ill before":     {"the reason that is known stays until there is a newer one", newer, newer, older, ill, waits("no progress")},
		"ill never":      {"the same after a start", newer, newer, "", ill, waits("no progress")},
		"ill, no reason": {"how it is says more than that it will be looked at", newer, newer, older, gitops.Health{Code: gitops.Degraded}, waits("Degraded")},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			key := gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: "argocd", Name: "child"}
			child := &v1alpha1.Application{}
			child.Namespace, child.Name, child.UID = key.Namespace, key.Name, types.UID("1")
			child.Spec.Source = &web
			looks := comparisons.NewBook()
			if c.child != "" {
				looks.Note(child, []string{c.child})
			}
			parent := &v1alpha1.Application{}
			sources := v1alpha1.ApplicationSources{web}
			opstate.StartAutomated(parent, opstate.Wanted{Sources: sources, Revisions: []string{c.began}}, 0, at)
			r := &Reconciler{Options: Options{Namespace: "argocd", Looks: looks}}
			live := map[gitops.Key]*gitops.Live{key: {Key: key, UID: child.UID, Health: c.health}}
			got := r.children(t.Context(), &state.Target{Subject: state.Subject{App: parent, Cluster: hubCluster{}, Sources: sources, Revisions: []string{c.parent}}}, live)(key)
			if got.Health != c.want {
				t.Errorf("%s: got %+v, want %+v", c.reason, got.Health, c.want)
			}
			if live[key].Health != c.health {
				t.Errorf("%s: what is known of the child has changed: %+v", c.reason, live[key].Health)
			}
		})
	}
}
