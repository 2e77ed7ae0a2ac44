package serve

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Somebody may ask so often, of an Application each.
func TestRefreshesAreLimited(t *testing.T) {
	o := operator{refreshes: session.NewTries(0, 1)}
	web := view.Key{Namespace: "argocd", Name: "web"}
	ann := &auth.User{Name: "ann", Via: auth.Local}
	for reason, who := range map[string]string{
		"somebody": refreshOf(ann, web), "somebody else": refreshOf(&auth.User{Name: "ann", Via: auth.OIDC}, web),
		"another Application": refreshOf(ann, view.Key{Namespace: "argocd", Name: "shop"}),
	} {
		if err := o.refreshes.Take(who); err != nil {
			t.Errorf("%s waits for others: %v", reason, err)
		}
	}
	if err := o.Refresh(t.Context(), ann, web, api.Normal); !errors.Is(err, session.ErrBusy) {
		t.Errorf("the second is %v", err)
	}
}
