package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"

	"golang.org/x/sync/errgroup"
)

// newWorld makes a world whose engine serves its profiles, if those are wanted.
func (b *bench) newWorld(ctx context.Context, apps int) (*world, error) {
	w := &world{apps: apps, manifests: manifests}
	if b.profiles != "" {
		w.flags = []string{"--pprof"}
	}
	return w, w.begin(ctx, b.engine)
}

// profile begins a profile of the engine's CPU for a while. The function that
// comes back waits for it, and keeps one of the heap beside it.
func (b *bench) profile(ctx context.Context, w *world, d time.Duration) (finish func() error, err error) {
	if b.profiles == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(b.profiles, 0o750); err != nil {
		return nil, err
	}
	name := func(kind string) string {
		return filepath.Join(b.profiles, fmt.Sprintf("%s-%d.pprof", kind, w.apps))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return w.engine.save(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%.0f", d.Seconds()), name("cpu"))
	})
	return func() error {
		return errors.Join(w.engine.save(ctx, "/debug/pprof/heap", name("heap")), g.Wait())
	}, nil
}

// profileSelf begins a profile of this process, for what it measures in itself.
func (b *bench) profileSelf() (finish func() error, err error) {
	if b.profiles == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(b.profiles, 0o750); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(b.profiles, "cpu-api.pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// save writes what the engine answers into a file.
func (e *engine) save(ctx context.Context, path, file string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.listen+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, resp.Body)
	return errors.Join(err, f.Close())
}
