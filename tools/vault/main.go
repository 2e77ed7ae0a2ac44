package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// token is that of the root of every server that this starts.
const token = "root"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(ended.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "causeway-vault:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, or the command does.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("causeway-vault", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:8200", "`address` to serve at; port 0 takes a free one")
	file := flags.String("setup", "", "YAML `file` of the requests that it sends itself at the start")
	kubeconfig := flags.String("kubeconfig", "", "kubeconfig `file` of clusters whose service accounts log in; it may appear later")
	asked := flags.String("kubeconfig-from", "", "`command` of a shell that prints the name of that file, and is asked until it does")
	if err := flags.Parse(args); err != nil {
		return err
	}
	setup, err := readSetup(*file)
	if err != nil {
		return err
	}
	server, err := serve(ctx, *listen)
	if err != nil {
		return err
	}
	defer server.close()
	for _, r := range setup.Requests {
		if err := server.send(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", *file, err)
		}
	}
	fmt.Fprintf(out, "Vault for trials: %s, token %s, in memory\n", server.address(), token)
	if *kubeconfig != "" || *asked != "" {
		go server.followClusters(ctx, place{*kubeconfig, *asked}, setup.EachCluster, out)
	}
	if flags.NArg() == 0 {
		<-ctx.Done()
		return nil
	}
	return beside(ctx, flags.Args())
}

// beside runs a command until it ends. An interrupt of the terminal reaches it by
// itself, and what asks this process to end is handed on.
func beside(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // what the user wrote
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err := cmd.Run()
	if errors.Is(err, context.Canceled) {
		return nil // the command has ended well
	}
	return err
}
