package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// parentFD is the descriptor at which the child finds the pipe: the first after the three standard ones.
const parentFD = 3

// launch starts the child and waits until it says that the cluster is ready.
func (c *Cluster) launch(ctx context.Context) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	c.lifeline = ours
	stderr := &tail{}
	c.command = exec.Command(c.options.Binary, c.arguments()...)
	c.command.Env = environment(os.Environ())
	c.command.ExtraFiles = []*os.File{theirs}
	c.command.Stderr = stderr
	// A group of its own: Ctrl-C in a terminal reaches this process alone, which stops the cluster in its turn.
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ready, err := c.run(theirs, stderr)
	if err != nil {
		return err
	}
	select {
	case <-ready:
		return nil
	case <-c.done:
		return c.exit
	case <-ctx.Done():
		c.release()
		return fmt.Errorf("%w; %w", context.Cause(ctx), c.exitOr(stderr))
	}
}

// run starts the command. The returned channel is closed when the child prints that it is ready.
func (c *Cluster) run(theirs *os.File, stderr *tail) (<-chan struct{}, error) {
	output, input, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make a pipe: %w", err), theirs.Close(), c.lifeline.Close())
	}
	c.command.Stdout = input
	err = c.command.Start()
	// The child has its own copies now. Keeping ours would hide its end.
	err = errors.Join(err, theirs.Close(), input.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot run %s: %w", c.options.Binary, err), c.lifeline.Close(), output.Close())
	}
	ready := make(chan struct{})
	// This goroutine ends with the child, and done tells its owner.
	go func() {
		defer close(c.done)
		awaitReady(output, ready)
		c.exit = describe(c.command.Wait(), stderr)
		_ = output.Close()
	}()
	return ready, nil
}

// awaitReady reads the child's output to its end.
func awaitReady(output io.Reader, ready chan<- struct{}) {
	lines := bufio.NewScanner(output)
	told := false
	for lines.Scan() {
		if !told && strings.HasPrefix(lines.Text(), "ready: ") {
			told = true
			close(ready)
		}
	}
	// A line too long for the scanner must not block the child.
	_, _ = io.Copy(io.Discard, output)
}

// describe gives the child's last words along with its exit status.
func describe(err error, stderr *tail) error {
	if err == nil {
		return nil
	}
	if words := stderr.String(); words != "" {
		return fmt.Errorf("causeway-kube: %w:\n%s", err, words)
	}
	return fmt.Errorf("causeway-kube: %w", err)
}

func (c *Cluster) exitOr(stderr *tail) error {
	if c.exit != nil {
		return c.exit
	}
	if words := stderr.String(); words != "" {
		return fmt.Errorf("causeway-kube said:\n%s", words)
	}
	return errors.New("causeway-kube was not ready by then")
}

func (c *Cluster) arguments() []string {
	o := c.options
	args := []string{"--name=" + c.name(), "--kubeconfig-out=" + c.kubeconfig, "--parent-fd=" + strconv.Itoa(parentFD)}
	for flag, value := range map[string]string{"data-dir": o.DataDir, "log-file": o.LogFile, "audit-log": o.AuditLog} {
		if value != "" {
			args = append(args, "--"+flag+"="+value)
		}
	}
	for flag, value := range map[string]int{"nodes": o.Nodes, "port": o.Port} {
		if value != 0 {
			args = append(args, "--"+flag+"="+strconv.Itoa(value))
		}
	}
	for flag, value := range map[string]time.Duration{"ready-within": o.ReadyWithin, "stop-within": o.StopWithin} {
		if value > 0 {
			args = append(args, "--"+flag+"="+value.String())
		}
	}
	if o.APIOnly {
		args = append(args, "--api-only")
	}
	return args
}

// environment leaves out the settings of causeway-kube: they are meant for one that a person starts.
func environment(all []string) []string {
	kept := make([]string, 0, len(all))
	for _, variable := range all {
		if !strings.HasPrefix(variable, "CAUSEWAY_KUBE_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
