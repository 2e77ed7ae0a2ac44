// Command bench measures the engine against what the API server of the same
// machine takes from a plain client in the same run, and prints tables with
// ratios. Nothing in it asserts a time: machines differ, and a busy one is no
// fault.
//
// It starts embedded control planes and the built engine as child processes,
// so that the engine's CPU and memory are its own.
//
// Two commits are compared in one run: build the other one's engine, and name
// it. CPU and requests are the figures that survive a busy machine.
//
//	git worktree add /tmp/before COMMIT && (cd /tmp/before && go build -o /tmp/causeway-before ./cmd/causeway)
//	go run ./bench --apps 100,500 --beside /tmp/causeway-before
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
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
	// beside is another one that is measured in turn, for rounds; none when empty.
	beside string
	rounds int
	// profiles is the folder that takes profiles of the engine; none are made when empty.
	profiles string
	only     string
	out      *table
}

func run(ctx context.Context) error {
	sizes := flag.String("apps", "500,1000", "numbers of Applications, each with 4 objects")
	only := flag.String("only", "", "one of expand, preview, health, memory, bridge, api, secrets, fleet, commit, noop, heal, idle; all when empty")
	previewed := flag.Int("preview-apps", 500, "number of Applications of the previewed repository")
	beside := flag.String("beside", "", "another causeway binary, such as one built from the commit before: fleet and noop are measured with both in turn")
	rounds := flag.Int("rounds", 3, "how often each engine is measured with --beside")
	profiles := flag.String("profiles", "", "folder for profiles of the engine's CPU and heap in the fleet; they cost a little themselves")
	clusters := flag.Int("clusters", 500, "number of cluster Secrets of the bridge")
	secrets := flag.Int("secrets", 10000, "number of ExternalSecrets")
	flag.Parse()
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	b := &bench{engine: orElse(os.Getenv("CAUSEWAY_BENCH_ENGINE"), filepath.Join(root, "bin", "causeway")), only: *only}
	b.beside, b.rounds, b.profiles = *beside, max(*rounds, 1), *profiles
	for _, engine := range []string{b.engine, orElse(b.beside, b.engine)} {
		if _, err := os.Stat(engine); err != nil && !slices.Contains(within, b.only) {
			return fmt.Errorf("cannot find the engine: %w; run `make build`", err)
		}
	}
	if b.beside != "" {
		return each(*sizes, func(n int) error { return b.besides(ctx, n) })
	}
	if err := b.alone(ctx, *previewed, *clusters, *secrets); err != nil {
		return err
	}
	if slices.Contains(apart, b.only) {
		return nil
	}
	return each(*sizes, func(n int) error { return b.size(ctx, n) })
}

// each measures with every number of applications that is asked for.
func each(sizes string, measure func(int) error) error {
	for size := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || n < 1 {
			return fmt.Errorf("cannot use --apps %q: write numbers, such as 500,1000", sizes)
		}
		if err := measure(n); err != nil {
			return fmt.Errorf("with %d applications: %w", n, err)
		}
	}
	return nil
}

// apart are the measurements that do not depend on a number of applications.
var apart = []string{"expand", "preview", "health", "memory", "bridge", "api", "secrets"}

// within are those that run in this process alone.
var within = []string{"health", "api"}

func (b *bench) alone(ctx context.Context, previewed, clusters, secrets int) error {
	for _, name := range apart {
		if !b.wants(name) {
			continue
		}
		var err error
		switch name {
		case "expand":
			err = b.expansions(ctx)
		case "preview":
			err = b.previews(ctx, previewed)
		case "health":
			err = health()
		case "memory":
			err = b.memory(ctx)
		case "bridge":
			err = b.bridge(ctx, clusters)
		case "api":
			err = b.api(ctx)
		case "secrets":
			err = b.secrets(ctx, secrets)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) wants(name string) bool { return b.only == "" || b.only == name }

// size measures everything at one number of applications.
func (b *bench) size(ctx context.Context, apps int) error {
	b.out = newTable(fmt.Sprintf("%d applications × %d objects", apps, objectsPerApp))
	limits, err := measureLimits(ctx, apps)
	if err != nil {
		return err
	}
	b.out.limits(limits, apps)
	w, err := b.newWorld(ctx, apps)
	if err != nil {
		return err
	}
	defer w.close()
	for _, part := range []struct {
		name string
		run  func(context.Context, *world) error
	}{
		{"fleet", func(ctx context.Context, w *world) error { return b.fleet(ctx, w, limits) }},
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
