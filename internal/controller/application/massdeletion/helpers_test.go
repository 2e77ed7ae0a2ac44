package massdeletion

import (
	"time"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// at is the time of every test.
var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

// described is a cluster that tells where it is.
type described struct{ state.Cluster }

func (described) Desc() gitops.Cluster {
	return gitops.Cluster{Server: gitops.HubServer, Name: "in-cluster"}
}
