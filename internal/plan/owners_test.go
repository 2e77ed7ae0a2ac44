package plan_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestOwnersOfAnothersObjects is about objects that Kubernetes would delete with owners that the sources give them.
func TestOwnersOfAnothersObjects(t *testing.T) {
	const owned = ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: o, uid: '1'}]"
	for name, tc := range map[string]struct {
		reason, tracking, text string
		owners                 []types.UID
		refused                bool
	}{
		"Own":     {reason: "the guard is asked", tracking: "app", text: cm("a", owned)},
		"Another": {reason: "it is not the application's to give away", tracking: "neighbour", text: cm("a", owned), refused: true},
		"Has":     {reason: "it has that owner", tracking: "neighbour", text: cm("a", owned), owners: []types.UID{"1"}},
		"None":    {reason: "it is changed in its place", tracking: "neighbour", text: cm("a")},
	} {
		t.Run(name, func(t *testing.T) {
			live := liveOf(key("a"), func(l *gitops.Live) {
				l.Tracking, l.Owners = gitops.TrackingID(tc.tracking, l.Key), tc.owners
			})
			p, err := plan.Make(plan.Input{Set: desired(t, application(), tc.text), Live: index(live)})
			if err != nil {
				t.Fatal(err)
			}
			fault := faultOf(p)
			if (fault != nil) != tc.refused || tc.refused && !strings.Contains(fault.Error(), "ownerReferences") {
				t.Errorf("%s: %v", tc.reason, fault)
			}
		})
	}
}
