// Package e2e tries the built causeway-kube from outside, as its users do.
package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/kube/internal/await"
)

// parentVariable makes this test binary play the parent of a cluster: see TestKilledParent.
const parentVariable = "CAUSEWAY_KUBE_E2E_PARENT"

func TestMain(m *testing.M) {
	if kubeconfig := os.Getenv(parentVariable); kubeconfig != "" {
		os.Exit(playParent(kubeconfig))
	}
	if _, err := os.Stat(binary()); err != nil {
		fmt.Fprintln(os.Stderr, "cannot find causeway-kube: run `make build`, or name the binary in CAUSEWAY_KUBE:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func binary() string {
	if named := os.Getenv("CAUSEWAY_KUBE"); named != "" {
		return named
	}
	return filepath.Join("..", "..", "bin", "causeway-kube")
}

// process is a causeway-kube as started from a terminal.
type process struct {
	*exec.Cmd
	kubeconfig string
	exited     chan error
}

// start returns when the process says that its cluster is ready.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{kubeconfig: filepath.Join(t.TempDir(), "kubeconfig"), exited: make(chan error, 1)}
	p.Cmd = exec.Command(binary(), append(args, "--kubeconfig-out="+p.kubeconfig, "--parent-fd=3", "--stop-within="+await.Limit.String())...)
	p.Stderr = os.Stderr
	p.ExtraFiles = []*os.File{lifeline(t)}
	output, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	ready := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready: ") {
				close(ready)
			}
		}
		p.exited <- p.Wait()
	}()
	t.Cleanup(func() { _ = p.Process.Kill() })
	select {
	case <-ready:
		t.Logf("ready after %s", time.Since(began).Round(time.Millisecond))
	case err := <-p.exited:
		t.Fatalf("it ended before it was ready: %v", err)
	case <-time.After(await.Limit):
		t.Fatal("it was not ready in time")
	}
	return p
}

// lifeline is a pipe by which a cluster ends with this process, also with one that is killed.
func lifeline(t *testing.T) *os.File {
	t.Helper()
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = theirs.Close(), ours.Close() })
	return theirs
}

// stop ends the process with a signal and returns how it exited.
func (p *process) stop(t *testing.T, signal syscall.Signal) error {
	t.Helper()
	if err := p.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.exited:
		return err
	case <-time.After(await.Limit):
		t.Fatalf("it did not stop on %s", signal)
		return nil
	}
}

func (p *process) client(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
