// Package embeddedtest gives tests a real Kubernetes cluster: one a package, a namespace a test.
//
//	var config *rest.Config
//
//	func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &config)) }
//
//	func TestApply(t *testing.T) {
//		namespace := embeddedtest.Namespace(t, config)
//		…
//	}
//
// It needs the binary causeway-kube, which `make build` makes, and fails where that is missing: a test that is skipped
// in silence proves nothing.
package embeddedtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/leash"
)

// Main runs the tests of a package against one temporary cluster and returns the exit code. It is for TestMain.
func Main(m *testing.M, into **rest.Config) int {
	return MainWith(m, embedded.Options{}, func(c *embedded.Cluster) error {
		config, err := c.RESTConfig()
		*into = config
		return err
	})
}

// fuzzWorker is the flag of the processes that a fuzz test starts to try what it makes up. They need no cluster: each
// would start one.
const fuzzWorker = "-test.fuzzworker"

// MainWith is Main for a package that wants its cluster another way, or the cluster itself; use gets it before the
// tests run and may install what they share.
func MainWith(m *testing.M, o embedded.Options, use func(*embedded.Cluster) error) int {
	if slices.Contains(os.Args, fuzzWorker) {
		return m.Run()
	}
	return leash.Held(func() int { return mainWith(m, o, use) })
}

func mainWith(m *testing.M, o embedded.Options, use func(*embedded.Cluster) error) int {
	ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
	defer cancel()
	o.ReadyWithin, o.StopWithin = await.Limit, await.Limit
	cluster, err := embedded.Start(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := 1
	if err := use(cluster); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	// A machine that is busy may have to kill it, after all tests are over: that says nothing of them.
	if err := cluster.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// Start starts a cluster for one test and stops it at the test's end.
func Start(t testing.TB, o embedded.Options) *embedded.Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	o.ReadyWithin, o.StopWithin = await.Limit, await.Limit
	cluster, err := embedded.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Log(err)
		}
	})
	return cluster
}

// Restart stops a cluster and starts it again from its data folder, with the same options and the same kubeconfig.
func Restart(t testing.TB, c *embedded.Cluster) *embedded.Cluster {
	t.Helper()
	if c.Options().DataDir == "" {
		t.Fatal("cannot restart a temporary cluster: give Options.DataDir")
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	return Start(t, c.Options())
}

// Config returns the client configuration of a cluster.
func Config(t testing.TB, c *embedded.Cluster) *rest.Config {
	t.Helper()
	config, err := c.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	return config
}
