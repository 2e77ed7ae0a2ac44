// Package cli is the command line of causeway-kube.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/causeway-gitops/causeway/kube/internal/cluster"
	"github.com/causeway-gitops/causeway/kube/internal/kubectl"
	"github.com/causeway-gitops/causeway/kube/internal/parent"
	"github.com/causeway-gitops/causeway/kube/internal/release"
)

// Run does what the arguments ask for and returns the exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "kubectl" {
		return kubectl.Run(args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: stdout, ErrOut: stderr})
	}
	return control(args, stdout, stderr)
}

// control runs a control plane, or tells about itself.
func control(args []string, stdout, stderr io.Writer) int {
	settings, err := parse(args, os.LookupEnv)
	if errors.Is(err, pflag.ErrHelp) {
		help(stdout, settings)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\nSee causeway-kube --help.\n", err)
		return 2
	}
	if settings.version {
		fmt.Fprintf(stdout, "causeway-kube with Kubernetes %s\n", release.Kubernetes())
		return 0
	}
	settings.options.OnReady = func(server, kubeconfig string) {
		fmt.Fprintf(stdout, "ready: %s\nexport KUBECONFIG=%s\n", server, kubeconfig)
	}
	if err := serve(settings, stderr); err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return 1
	}
	return 0
}

// serve runs the cluster until a signal comes or the parent is gone.
func serve(s settings, stderr io.Writer) error {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	if s.parentFD >= 0 {
		watched, stop, err := parent.Watch(ctx, s.parentFD)
		if err != nil {
			return err
		}
		defer stop()
		ctx = watched
	}
	over := context.AfterFunc(ctx, func() {
		release() // a second signal ends the process at once
		time.AfterFunc(s.stopWithin, func() {
			fmt.Fprintf(stderr, "error: the cluster did not stop within %s\n", s.stopWithin)
			os.Exit(1)
		})
	})
	defer over()
	return cluster.Run(ctx, s.options)
}
