package directory

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/test/await"
)

// endlessProgram takes longer than anybody waits, and no memory: loops in loops.
const endlessProgram = "local loop(n) = if n == 0 then 0 else std.foldl(function(sum, i) sum + loop(n - 1), std.range(1, 20), 0); loop(15)"

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// TestWorkersEndWithoutTheirEngine starts a worker whose engine is gone before
// the worker begins: it does not take its new parent for that.
func TestWorkersEndWithoutTheirEngine(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self(t))
	cmd.Env = []string{workerMark + "=536870912", "CAUSEWAY_WORKER_OF=1073741824"} // beyond what systems number
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = send(in, message{Evaluate: &evaluation{File: "x", Text: []byte(endlessProgram), Stack: 500}})
	_ = cmd.Wait()
	if ctx.Err() != nil {
		t.Error("it evaluates for nobody until it is killed")
	}
}

// TestWorkersEndByThemselves has nobody end a worker whose time is over.
func TestWorkersEndByThemselves(t *testing.T) {
	w, err := startWorker(t.Context(), self(t), 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(await.Limit, w.kill)
	if _, err := w.talk(evaluation{File: "x", Text: []byte(endlessProgram), Stack: 500, Time: time.Millisecond}, nil); err == nil {
		t.Error("what does not end has a result")
	}
	if !killed.Stop() {
		t.Error("it goes on until it is killed")
	}
	if err := w.end(); !errors.Is(err, errDied) {
		t.Errorf("it ended because of %v", err)
	}
}
