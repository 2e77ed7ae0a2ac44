package jq

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/causeway-gitops/causeway/test/await"
)

// TestWorkersEndWithoutTheirEngine starts a worker whose engine is gone before
// the worker begins, and whose input stays open all the same.
func TestWorkersEndWithoutTheirEngine(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = []string{workerMark + "=268435456", "CAUSEWAY_WORKER_OF=1073741824"} // beyond what systems number
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if ctx.Err() != nil {
		t.Error("it waits for nobody until it is killed")
	}
}
