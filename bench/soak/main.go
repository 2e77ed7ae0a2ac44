// Command soak lets an engine work for half an hour or longer: applications
// come, change by commits and by hand, and go, while a proxy spoils requests.
// It prints memory, goroutines, requests and latencies over time, and fails
// when the engine grows, or when a cluster does not become what Git says.
//
//	go run ./bench/soak --for 30m
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/subject"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

const (
	control  = "argocd"
	repoBase = "https://git.example.com"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	length := flag.Duration("for", 30*time.Minute, "how long to go on")
	width := flag.Int("scenes", 12, "how many sets of applications live at a time")
	every := flag.Duration("every", 15*time.Second, "time between two rows")
	first := flag.Uint64("seed", 1, "first seed")
	flag.Parse()
	err := run(ctx, *length, *every, *width, *first)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, length, every time.Duration, width int, first uint64) error {
	dir, err := os.MkdirTemp("", "causeway-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &world{dir: dir, schedules: map[string]*proxy.Schedule{}, shared: proxy.Shared(first)}
	defer w.close()
	if err := w.start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	s := &soak{world: w, next: first, began: time.Now()}
	return s.run(ctx, every, width)
}

// start starts a control plane, the proxy and the engine.
func (w *world) start(ctx context.Context) (err error) {
	if w.cluster, err = embedded.Start(ctx, embedded.Options{Name: "soak"}); err != nil {
		return err
	}
	direct, err := w.cluster.RESTConfig()
	if err != nil {
		return err
	}
	direct.UserAgent, direct.WarningHandler = "soak", rest.NoWarnings{}
	if err := install.Definitions(ctx, direct); err != nil {
		return err
	}
	if w.client, err = dynamic.NewForConfig(direct); err != nil {
		return err
	}
	if err := w.namespace(ctx, control); err != nil {
		return err
	}
	if w.proxy, err = proxy.Start(proxy.Options{Upstream: direct, Schedule: w.schedule}); err != nil {
		return err
	}
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.stopWatching = cancel
	if w.recorder, err = witness.NewRecorder(watching, direct, control); err != nil {
		return err
	}
	git := filepath.Join(w.dir, "git")
	if err := os.MkdirAll(git, 0o750); err != nil {
		return err
	}
	engine := os.Getenv("CAUSEWAY_BENCH_ENGINE")
	if engine == "" {
		engine = filepath.Join("bin", "causeway")
	}
	if _, err := os.Stat(engine); err != nil {
		return fmt.Errorf("cannot find the engine: %w; run `make build` and start in the top folder", err)
	}
	w.engine, err = subject.Start(subject.Options{
		Command: []string{engine, "run"}, Hub: w.proxy.Config(), Dir: filepath.Join(w.dir, "engine"),
		Args: []string{"--namespace", control, "--local-interval", "200ms", "--mirror", repoBase + "/=" + git, "--log-level", "error"},
	})
	return err
}
