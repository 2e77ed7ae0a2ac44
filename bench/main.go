// Command bench measures the engine against the raw limit of the same machine
// in the same run, and prints tables with ratios. Nothing in it asserts a
// time: machines differ, and a busy one is no fault.
//
// It starts embedded control planes and the built engine as child processes,
// so that the engine's CPU and memory are its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one call of the command.
type bench struct {
	engine string // the causeway binary
	only   string
	out    *table
}

func run(ctx context.Context) error {
	sizes := flag.String("apps", "500,1000", "numbers of Applications, each with 4 objects")
	only := flag.String("only", "", "one of expand, preview, fleet, commit, noop, heal, idle; all when empty")
	previewed := flag.Int("preview-apps", 500, "number of Applications of the previewed repository")
	flag.Parse()
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	b := &bench{engine: orElse(os.Getenv("CAUSEWAY_BENCH_ENGINE"), filepath.Join(root, "bin", "causeway")), only: *only}
	if _, err := os.Stat(b.engine); err != nil {
		return fmt.Errorf("cannot find the engine: %w; run `make build`", err)
	}
	if b.wants("expand") {
		if err := b.expansions(ctx); err != nil {
			return fmt.Errorf("expand: %w", err)
		}
	}
	if b.wants("preview") {
		if err := b.previews(ctx, *previewed); err != nil {
			return fmt.Errorf("preview: %w", err)
		}
	}
	if b.only == "expand" || b.only == "preview" {
		return nil
	}
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || n < 1 {
			return fmt.Errorf("cannot use --apps %q: write numbers, such as 500,1000", *sizes)
		}
		if err := b.size(ctx, n); err != nil {
			return fmt.Errorf("with %d applications: %w", n, err)
		}
	}
	return nil
}

func (b *bench) wants(name string) bool { return b.only == "" || b.only == name }

// size measures everything at one number of applications.
func (b *bench) size(ctx context.Context, apps int) error {
	b.out = newTable(fmt.Sprintf("%d applications × %d objects", apps, objectsPerApp))
	limit, err := rawLimit(ctx, apps)
	if err != nil {
		return err
	}
	b.out.raw(limit)
	w, err := newWorld(ctx, b.engine, apps)
	if err != nil {
		return err
	}
	defer w.close()
	for _, part := range []struct {
		name string
		run  func(context.Context, *world) error
	}{
		{"fleet", func(ctx context.Context, w *world) error { return b.fleet(ctx, w, limit) }},
		{"commit", b.commit}, {"noop", b.noop}, {"heal", b.heal}, {"idle", b.idle},
	} {
		if part.name != "fleet" && !b.wants(part.name) {
			continue // the fleet is there for all of them
		}
		fmt.Fprintf(os.Stderr, "bench: %s with %d applications\n", part.name, apps)
		if err := part.run(ctx, w); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Print(b.out)
	return nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("cannot find go.mod above the current folder")
		}
		dir = parent
	}
}

// orElse lets another build be measured: set CAUSEWAY_BENCH_ENGINE.
func orElse(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
