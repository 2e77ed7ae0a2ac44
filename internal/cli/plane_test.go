package cli

import (
	"context"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/test/await"
)

// shared is the control plane of the tests that keep to namespaces of their own, once the first of them has started it.
var shared *embedded.Cluster

var startShared = sync.OnceValue(func() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
	defer cancel()
	shared, err = embedded.Start(ctx, embedded.Options{ReadyWithin: await.Limit, StopWithin: await.Limit})
	return err
})

// stopShared is for TestMain.
func stopShared() {
	if shared != nil {
		_ = shared.Stop() // all tests are over: it says nothing of them
	}
}

// sharedPlane is a control plane with the kinds of the engine, on which none runs.
func sharedPlane(t *testing.T) *embedded.Cluster {
	t.Helper()
	if err := startShared(); err != nil {
		t.Fatal(err)
	}
	config := embeddedtest.Config(t, shared)
	embeddedtest.Eventually(t, func(ctx context.Context) error { return install.Definitions(ctx, config) })
	return shared
}
