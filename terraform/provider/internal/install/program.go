package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

const (
	// takeoverGrace is what the program has beyond its own limit, to take back
	// what did not work out.
	takeoverGrace = 15 * time.Minute
	// exitChanges is how the program says that something would change.
	exitChanges = 3
	// maxTold bounds what of the program's words becomes an error.
	maxTold = 16 << 10 // bytes
	// maxAnswer bounds what is read of its answer.
	maxAnswer = 64 << 20 // bytes
)

// program runs `causeway import argocd` at the hub, and returns what it
// printed. Where it fails, the error has its words.
func (r *engineResource) program(ctx context.Context, m model, args ...string) ([]byte, error) {
	program, err := r.Hub.Program()
	if err != nil {
		return nil, fmt.Errorf("what a takeover would change is compared by the program causeway: %w", err)
	}
	within, err := m.Takeover.within()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "causeway-takeover-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	kubeconfig, err := r.Hub.Kubeconfig(ctx, dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, within+takeoverGrace)
	defer cancel()
	args = append([]string{"import", "argocd", "--no-color", "--kubeconfig", kubeconfig, "--namespace", m.Namespace.ValueString(), "--timeout", within.String()}, args...)
	cmd := exec.CommandContext(ctx, program, args...)
	// An interrupt lets it stop between two steps, each of which can be done again.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	out, told := &connection.Answer{Most: maxAnswer}, &connection.Words{Most: maxTold}
	cmd.Stdout, cmd.Stderr = out, told
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case out.TooLong():
		return nil, fmt.Errorf("the program causeway answers with more than %d bytes", maxAnswer)
	case err == nil, errors.As(err, &exit) && exit.ExitCode() == exitChanges:
		return out.Bytes(), nil
	case exit == nil:
		return nil, fmt.Errorf("cannot run the program causeway: %w", err)
	}
	return out.Bytes(), errors.New(told.String())
}

// short is the end of a long text: what went wrong stands there.
func short(text string) string {
	if len(text) <= maxTold {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-maxTold:], "")
}
