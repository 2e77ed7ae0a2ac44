package operate

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// TestNamesakesAreToldApart: what is of another namespace is told as it was named.
func TestNamesakesAreToldApart(t *testing.T) {
	here, there := clitest.Settled(), clitest.Settled()
	there.Namespace = "team"
	ended := &batch.Batch{ID: "op", Verb: "refresh", State: batch.Done, Results: []batch.Result{
		{Key: view.Key{Namespace: "argocd", Name: "shop"}, Stage: batch.Asked}, {Key: view.Key{Namespace: "team", Name: "shop"}, Stage: batch.Asked},
	}}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(here, there), "POST /api/v1/applications/refresh": ended, "GET /api/v1/operations/op": ended,
		"POST /api/v1/applications/team/shop/sync": asks(there, v1alpha1.OperationSucceeded, ""),
	})
	got := clitest.Run(t, NewRefresh, "shop", "team/shop", "--server", d.URL)
	got.Says(t, "several at once", command.ExitFine, "shop: is looked at again\nteam/shop: is looked at again\n")
	clitest.Run(t, NewSync, "team/shop", "--server", d.URL).Says(t, "one", command.ExitFine, "team/shop: 0 objects synced")
	if got, want := next(&target.Hub{Namespace: "argocd"}, there), "; now sync again: causeway sync team/shop --prune"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
