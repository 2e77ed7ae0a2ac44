package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/tty"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
)

// connectTime is how long a cluster may take to connect a shell.
const connectTime = 30 * time.Second

// Codes of a runtime for a program that is not there, or is none.
const (
	notExecutable = 126
	notFound      = 127
)

// shell is one in a container.
type shell struct {
	looker

	app       *v1alpha1.Application
	cluster   *fleet.Cluster
	as        rest.ImpersonationConfig
	pod       *corev1.Pod
	container corev1.ContainerStatus
	names     []string
}

// Run implements terminal.Shell: the first shell that the container has is it.
func (s *shell) Run(ctx context.Context, with terminal.Streams) error {
	for _, name := range s.names {
		err := s.try(ctx, name, with)
		if !errors.Is(err, errNoShell) {
			return err
		}
	}
	return gitops.Problemf(gitops.NotFound, "container %s has none of the shells %s", s.container.Name, strings.Join(s.names, ", ")).
		Do("name one that it has in exec.shells of argocd-cm, or attach a container for debugging")
}

// errNoShell is that a container has no program of a name.
var errNoShell = errors.New("there is no such shell")

// try runs one shell.
func (s *shell) try(ctx context.Context, name string, with terminal.Streams) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(connectTime, func() {
		cancel(gitops.Problemf(gitops.Unreachable, "the cluster did not connect a shell within %s", connectTime).Do("try again"))
	})
	defer late.Stop()
	in := &noted{from: with.In.Reader(ctx)}
	out := &first{to: with.Out, begun: func() { with.Opened(name) }}
	err := s.open(fleet.Past(ctx), name, func() { late.Stop() }, remotecommand.StreamOptions{
		Stdin: in, Stdout: out, Tty: true, TerminalSizeQueue: &sizes{ctx: ctx, of: with.Sizes},
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return s.ended(ctx, err, in.any.Load())
}

// open runs a command.
func (s *shell) open(ctx context.Context, command string, connected func(), o remotecommand.StreamOptions) error {
	config := s.cluster.RESTConfig()
	config.Impersonate = s.as
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return connecting(func(r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			if err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
				connected()
			}
			return answer, err
		})
	})
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot reach pod %s: %w", s.pod.Name, err)
	}
	at := clients.CoreV1().RESTClient().Post().Resource("pods").Namespace(s.pod.Namespace).Name(s.pod.Name).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: s.container.Name, Command: []string{command}, Stdin: true, Stdout: true, TTY: true}, scheme.ParameterCodec).URL()
	return tty.Open(ctx, config, at, o)
}

type connecting func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (c connecting) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

// ended says how a shell ended: one that nobody typed to may not be there.
func (s *shell) ended(ctx context.Context, err error, typed bool) error {
	var exit exec.CodeExitError
	exited := errors.As(err, &exit)
	if !typed && (exited && (exit.Code == notExecutable || exit.Code == notFound) || err != nil && !exited && missing(err)) {
		return errNoShell
	}
	if gone := s.Check(ctx); errors.Is(gone, terminal.ErrGone) {
		return gone
	}
	var closed *tty.NoSocket
	switch {
	case err == nil:
		return nil
	case exited:
		return &terminal.Exit{Code: exit.Code}
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Forbidden, "the cluster does not let you open a terminal in pod %s: %w", s.pod.Name, err)
	case errors.As(err, &closed):
		return gitops.Problemf(gitops.Unreachable, "a terminal in pod %s needs a WebSocket, and the cluster opened none: %w", s.pod.Name, closed.Cause).
			Do("terminals need Kubernetes 1.30 or later, and proxies between Causeway and the cluster that let WebSockets through")
	}
	return gitops.Problemf(gitops.Unreachable, "the terminal in pod %s cannot go on: %w", s.pod.Name, err).Do("connect again, and look at the pod's events")
}

// missing reports whether a runtime says that a program is not there. There are
// no codes for it: each runtime has words of its own.
func missing(err error) bool {
	text := strings.ToLower(err.Error())
	for _, words := range []string{"executable file", "no such file or directory", "cannot find the file", "system cannot find"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// checkTime bounds a look at a pod.
const checkTime = 5 * time.Second

// Check implements terminal.Shell: the pod is there and the same, its container
// has not started again, and the cluster still lets in.
func (s *shell) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	live, err := s.cluster.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, s.pod.Namespace, s.pod.Name)
	switch {
	case gitops.IsProblem(err, gitops.NotFound):
		return fmt.Errorf("pod %s was deleted: %w", s.pod.Name, terminal.ErrGone)
	case err != nil:
		return fmt.Errorf("%w: %w", terminal.ErrUnsure, err)
	case live.GetUID() != s.pod.UID:
		return fmt.Errorf("another pod has the name %s now: %w", s.pod.Name, terminal.ErrGone)
	}
	pod, err := podOf(live)
	if err != nil {
		return err
	}
	for _, c := range statuses(pod) {
		if c.Name == s.container.Name && (c.State.Running == nil || c.ContainerID != s.container.ContainerID) {
			return fmt.Errorf("container %s of pod %s has ended or started again: %w", c.Name, s.pod.Name, terminal.ErrGone)
		}
	}
	if _, err = s.on.Account(ctx, s.app, pod.Namespace); err == nil { // the project still permits it
		err = lets(ctx, s.cluster, s.as, toExec(pod))
	}
	if gitops.IsProblem(err, gitops.Forbidden) || err == nil {
		return err
	}
	return fmt.Errorf("%w: %w", terminal.ErrUnsure, err)
}

// noted notes that something was read.
type noted struct {
	from io.Reader
	any  atomic.Bool
}

// Read implements io.Reader.
func (n *noted) Read(p []byte) (int, error) {
	count, err := n.from.Read(p)
	if count > 0 {
		n.any.Store(true)
	}
	return count, err
}

// first tells when something is written for the first time.
type first struct {
	to    io.Writer
	once  sync.Once
	begun func()
}

// Write implements io.Writer.
func (f *first) Write(p []byte) (int, error) {
	f.once.Do(f.begun)
	return f.to.Write(p)
}

// sizes implements remotecommand.TerminalSizeQueue.
type sizes struct {
	ctx     context.Context //nolint:containedctx // the life of one try: the interface has no place for it
	of      *terminal.Sizes
	version int
}

// Next implements remotecommand.TerminalSizeQueue.
func (s *sizes) Next() *remotecommand.TerminalSize {
	size, version, ok := s.of.Next(s.ctx, s.version)
	if !ok {
		return nil
	}
	s.version = version
	return &remotecommand.TerminalSize{Width: size.Cols, Height: size.Rows}
}
