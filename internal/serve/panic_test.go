package serve

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestPanicShowsNothing: a kind about which the question met a fault is not shown.
func TestPanicShowsNothing(t *testing.T) {
	v, _, _ := newVisit(t, "")
	asked := 0
	v.kinds.now = func() time.Time {
		if asked++; asked > 1 { // the answer is to be remembered
			panic("a fault")
		}
		return time.Unix(1000, 0)
	}
	pod := gitops.Key{Kind: "Pod", Namespace: "shop", Name: "a"}
	shows := v.showsAll(auth.With(t.Context(), kubernetesUser("trusted")), v.on.Fleet.Hub(), v.app, []gitops.Key{pod})
	if err := shows(pod); err == nil || asked < 2 {
		t.Errorf("it is shown, after %d looks at the clock", asked)
	}
}
