package application

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// maxUnserved bounds the kinds that InfoUnserved names: each has to come before the sync is tried again.
const maxUnserved = 20

// noteUnserved keeps which kinds a sync lacked that will not be tried again by
// itself. Their definitions may come from elsewhere, at any time.
func noteUnserved(st *v1alpha1.OperationState, a *state.Attempt) {
	if !st.Ended() {
		return
	}
	var kinds []string
	for _, r := range a.Progress.Results(a.Plan) {
		kind := schema.GroupKind{Group: r.Key.Group, Kind: r.Key.Kind}.String()
		if errors.Is(r.Err, gitops.ErrNotServed) && !slices.Contains(kinds, kind) && len(kinds) < maxUnserved {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 0 {
		st.Operation.Info = append(st.Operation.Info, v1alpha1.Info{Name: gitops.InfoUnserved, Value: strings.Join(kinds, ",")})
	}
}

// nowServed reports whether the last automated sync failed for want of kinds, and
// that the cluster serves all of them by now.
func nowServed(t *state.Target) bool {
	st := t.App.Status.OperationState
	lacked := opstate.Info(st.Operation.Info, gitops.InfoUnserved)
	if lacked == "" || !st.Operation.InitiatedBy.Automated || st.Phase != v1alpha1.OperationFailed {
		return false
	}
	scope := t.Cluster.Scope()
	for kind := range strings.SplitSeq(lacked, ",") {
		gk := schema.ParseGroupKind(kind)
		if _, known := scope(gk.Group, gk.Kind); !known {
			return false
		}
	}
	return true
}
