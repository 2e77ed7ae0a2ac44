package state

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Objects that come and go under new names leave nothing behind.
func TestHealsAreForgotten(t *testing.T) {
	s, name, now := NewAttempts(), types.NamespacedName{Name: "app"}, time.Unix(0, 0)
	for i := range 100 {
		s.Heal(name, gitops.Key{Kind: "ConfigMap", Name: strconv.Itoa(i)}, now)
		now = now.Add(healWindow)
	}
	if kept := len(s.heals[name]); kept > 3 {
		t.Errorf("%d objects are kept that were healed long ago", kept)
	}
}
