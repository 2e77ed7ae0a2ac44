package get

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// localFleet is the state of a fleet that runs.
func localFleet(t *testing.T) (state string, home local.Home) {
	t.Helper()
	state = t.TempDir()
	home, err := local.HomeOf(state, "f")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	return state, home
}

// TestKubeconfigOfTheFleet: its place is told once it can be used, and no stranger's is.
func TestKubeconfigOfTheFleet(t *testing.T) {
	const ours = `{"apiVersion": "v1", "kind": "Config", "current-context": "hub", "contexts": [{"name": "hub", "context": {"cluster": "hub", "user": "hub"}}],
"clusters": [{"name": "hub", "cluster": {"server": "https://127.0.0.1:1", "certificate-authority-data": "YQ=="}}], "users": [{"name": "hub", "user": {"client-certificate-data": "YQ==", "client-key-data": "Yg=="}}]}`
	state, home := localFleet(t)
	clitest.Run(t, NewKubeconfig, "--state-dir", state).Says(t, "its clusters are starting", command.ExitFailed, "fleet f has no kubeconfig yet: start it with `causeway up`")
	for text, code := range map[string]int{ours: command.ExitFine, strings.Replace(ours, `"client-certificate-data": "YQ=="`, `"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "interactiveMode": "Never"}`, 1): command.ExitFailed} {
		if err := local.WriteFile(home.Kubeconfig(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		got := clitest.Run(t, NewKubeconfig, "--state-dir", state)
		if told := got.Out == home.Kubeconfig()+"\n"; got.Code != code || told != (code == command.ExitFine) {
			t.Errorf("exit %d, want %d: %q%s", got.Code, code, got.Out, got.Errors)
		}
	}
}

// TestAnEmptyLogHasNoLine, whatever number of them is asked for.
func TestAnEmptyLogHasNoLine(t *testing.T) {
	state, home := localFleet(t)
	if err := local.WriteFile(home.Log(), nil); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--tail", "5"}, {"--tail", "0"}, nil} {
		if got := clitest.Run(t, NewLogs, append([]string{"--engine", "--state-dir", state}, args...)...); got.Code != command.ExitFine || got.Out != "" {
			t.Errorf("%v: exit %d, %q", args, got.Code, got.Out)
		}
	}
}

// TestTheEnginesLogIsFollowed from where it is, until ctrl-c.
func TestTheEnginesLogIsFollowed(t *testing.T) {
	state, home := localFleet(t)
	if err := local.WriteFile(home.Log(), []byte("of before\nlatest\n")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	l := &logsFlags{Global: clitest.Global(t, &out), engine: true, follow: true, tail: 1}
	l.StateDir = state
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.engineLog(ctx) }()
		synctest.Wait()
		f, err := os.OpenFile(home.Log(), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("more\n")
		_ = f.Close()
		_ = command.Sleep(t.Context(), 2*command.FollowPause)
		cancel()
		if err := <-ended; err != nil || out.String() != "latest\nmore\n" {
			t.Errorf("got %v and %q", err, out.String())
		}
	})
}
