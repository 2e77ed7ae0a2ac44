package up

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// session is one run of a local fleet.
type session struct {
	up     *upFlags
	fleet  *local.Fleet
	home   local.Home
	board  *fleetstatus.Board
	log    *slog.Logger
	file   *os.File // of the log
	teller *teller
}

func newSession(u *upFlags, fleet *local.Fleet, home local.Home) (*session, error) {
	s := &session{up: u, fleet: fleet, home: home, teller: newTeller(u.Streams)}
	names := make([]string, 0, len(fleet.Clusters))
	for _, c := range fleet.Clusters {
		names = append(names, c.Name)
	}
	s.board = fleetstatus.New(fleet.Name, names, time.Now)
	out := io.Writer(os.Stderr)
	if !detached() { // the background process writes to the log already
		file, err := command.LogFile(home.Log())
		if err != nil {
			return nil, err
		}
		s.file, out = file, file
	}
	log, err := command.LogTo(out, "text", slog.LevelInfo)
	if err != nil {
		return nil, err
	}
	s.log = log
	return s, nil
}

// run shows the fleet while it works, until ctx or the work ends.
func (s *session) run(ctx context.Context) error {
	showing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var group crew.Group
	group.Go(func() error { return s.board.Save(showing, s.home.Progress()) })
	if !detached() {
		group.Go(func() error { return s.up.Show().Run(showing, s.board, s.teller.notes) })
	}
	err := s.work(ctx)
	if err != nil {
		s.board.Fail(err)
	}
	stop()
	err = errors.Join(err, group.Wait())
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

// work starts the clusters, runs the engine and stops everything at the end.
func (s *session) work(ctx context.Context) (err error) {
	s.board.Step("starting " + gitops.Count(len(s.fleet.Clusters), "cluster"))
	running, err := local.Start(ctx, s.fleet, s.home, watcher{s.board, s.log})
	if ctx.Err() != nil && err != nil {
		s.log.Info("interrupted while clusters started", "error", err)
		return command.ErrInterrupted
	}
	if err != nil {
		return err
	}
	defer func() {
		s.board.Step(fleetstatus.Stopping)
		err = errors.Join(err, running.Stop())
		s.board.Step(fleetstatus.Stopped)
	}()
	if err := s.prepare(ctx, running); err != nil {
		if ctx.Err() != nil {
			return command.ErrInterrupted
		}
		return err
	}
	return s.engine(ctx, running)
}

// watcher writes to the log, too, how clusters come and go.
type watcher struct {
	*fleetstatus.Board

	log *slog.Logger
}

// Ready tells that a cluster can be used.
func (w watcher) Ready(cluster, server string, took time.Duration) {
	w.log.Info("cluster is ready", "cluster", cluster, "server", server, "after", took.Round(time.Millisecond))
	w.Board.Ready(cluster, server, took)
}

// Failed tells that a cluster cannot be used.
func (w watcher) Failed(cluster string, err error) {
	w.log.Error("cluster is down", "cluster", cluster, "error", err)
	w.Board.Failed(cluster, err)
}

// prepare brings the hub to where the engine can start.
func (s *session) prepare(ctx context.Context, running *local.Running) error {
	hub, err := running.HubConfig()
	if err != nil {
		return err
	}
	steps := []struct {
		text string
		do   func(context.Context) error
	}{
		{"installing the API types", func(ctx context.Context) error { return install.Definitions(ctx, hub) }},
		{s.described(), running.Register},
		{"looking for the state of an earlier run", running.AskForRefresh},
		{"applying " + s.applied(), running.ApplyManifests},
	}
	for _, step := range steps {
		s.board.Step(step.text)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) described() string {
	if s.fleet.Undescribed {
		return "leaving the clusters' Secrets to something else"
	}
	return "describing the clusters to the hub"
}

func (s *session) applied() string {
	names := make([]string, 0, len(s.fleet.Apply))
	for _, path := range s.fleet.Apply {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", ")
}

// engine runs until ctx ends, or --once is satisfied.
func (s *session) engine(ctx context.Context, running *local.Running) error {
	hub, err := running.HubConfig()
	if err != nil {
		return err
	}
	cfg := s.config(hub)
	if cfg.Serving, err = s.serving(ctx, hub); err != nil {
		return err
	}
	s.board.Step("rolling out")
	group, inner := crew.WithContext(ctx)
	inner, enough := context.WithCancel(inner)
	defer enough()
	group.Go(func() error { return ended(inner, app.Run(inner, cfg), "the engine") })
	group.Go(func() error { return s.board.Follow(inner, hub, s.fleet.Namespace, s.servers(running)) })
	group.Go(func() error {
		running.Follow(inner, s.filesChanged)
		return nil
	})
	group.Go(func() error {
		select {
		case err := <-running.Died():
			return err
		case <-inner.Done():
			return nil
		}
	})
	if s.up.hasPages() {
		group.Go(func() error { return s.teller.signIn(inner, s.home) })
	}
	group.Go(func() error {
		if err := s.untilHealthy(inner); err != nil || !s.up.once {
			return err
		}
		enough()
		return nil
	})
	err = group.Wait()
	if err == nil && ctx.Err() != nil && s.board.Snapshot().Healthy.IsZero() {
		return command.ErrInterrupted
	}
	return err
}

// filesChanged tells what became of a change of the fleet's own files.
func (s *session) filesChanged(err error) {
	s.board.Trouble(err)
	if err != nil {
		s.log.Error("cannot follow the fleet's files", "error", err)
		return
	}
	s.log.Info("the fleet's files were applied again")
}

// ended turns an end that nobody asked for into an error.
func ended(ctx context.Context, err error, what string) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // asked for
	}
	if err == nil {
		return fmt.Errorf("%s ended by itself", what)
	}
	return fmt.Errorf("%s ended: %w", what, err)
}

func (s *session) config(hub *rest.Config) app.Config {
	return app.Config{
		Hub: hub, Namespace: s.fleet.Namespace, CacheDir: s.home.Cache(), LocalInterval: s.up.interval,
		Mirrors: s.fleet.Mirrors, PrivateHosts: true, Secrets: s.up.secrets, NoPrograms: !s.fleet.Programs, Listen: s.up.listen, Workers: s.up.workers, History: s.up.history, Log: s.log, Version: s.up.Version,
		Embedded: app.EmbeddedClusters{Dir: filepath.Join(s.home.Dir(), declaredDir), Most: mostEmbedded},
	}
}

func (s *session) servers(running *local.Running) map[string]string {
	servers := map[string]string{gitops.HubServer: s.fleet.Hub().Name}
	for _, c := range s.fleet.Clusters {
		if config, err := running.Config(c.Name); err == nil {
			servers[gitops.ServerKey(config.Host)] = c.Name
		}
	}
	return servers
}

// settlePoll is how often the fleet is asked whether it is done.
const settlePoll = 100 * time.Millisecond

// untilHealthy waits for the moment when all is well, and tells of it.
func (s *session) untilHealthy(ctx context.Context) error {
	var deadline <-chan time.Time
	if s.up.timeout > 0 && !detached() {
		timer := time.NewTimer(s.up.timeout)
		defer timer.Stop()
		deadline = timer.C
	}
	ticker := time.NewTicker(settlePoll)
	defer ticker.Stop()
	for !s.board.Settle() {
		select {
		case <-ctx.Done():
			return nil
		case <-deadline:
			return s.up.timeoutError(live.Unfinished(s.board.Snapshot()))
		case <-ticker.C:
		}
	}
	return s.teller.tell(ctx, summary(s.fleet, s.home, s.board.Snapshot()))
}
