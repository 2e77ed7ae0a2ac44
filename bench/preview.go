package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// changesFound is the exit code of a preview that found some.
const changesFound = 3

// previewed is one run of the command.
type previewed struct {
	wall, cpu time.Duration
	peak      int64 // bytes
	Summary   struct {
		Changed  int `json:"changed"`
		Rendered int `json:"rendered"`
		Reused   int `json:"reused"`
	} `json:"summary"`
}

// previews measures previews of a repository against rendering each
// application once with the bare libraries.
func (b *bench) previews(ctx context.Context, apps int) error {
	r, err := newRepository(ctx, apps)
	if r != nil {
		defer r.remove()
	}
	if err != nil {
		return err
	}
	b.out = newTable(fmt.Sprintf("preview: %d applications on %d clusters, Helm and Kustomize 3 : 2", r.addons*fleetClusters, fleetClusters))
	if _, err := bareRenders(ctx, r); err != nil { // the first run warms the machine's caches
		return fmt.Errorf("bare renders: %w", err)
	}
	raw, err := bareRenders(ctx, r)
	if err != nil {
		return fmt.Errorf("bare renders: %w", err)
	}
	b.out.row("raw limit: each application once, bare libraries, in one process", seconds(raw), "1.0×")
	cache, err := os.MkdirTemp("", "causeway-bench-cache-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	if err := b.previewAll(ctx, r, cache, raw); err != nil {
		return err
	}
	fmt.Print(b.out)
	return nil
}

func (b *bench) previewAll(ctx context.Context, r *repository, cache string, raw time.Duration) error {
	lint, err := b.causeway(ctx, filepath.Join(cache, "lint"), r, "lint", "-o", "json")
	if err != nil {
		return err
	}
	b.previewRow("lint, cold: each application rendered once", lint, raw)
	if err := r.edit("values/prod", addon(0)+".yaml", "level: prod", "level: loud"); err != nil {
		return err
	}
	if err := r.commit(ctx, "one value file"); err != nil {
		return err
	}
	for _, name := range []string{"preview, cold: one value file changed", "preview, warm: the same again"} {
		p, err := b.preview(ctx, filepath.Join(cache, "one"), r)
		if err != nil {
			return err
		}
		b.previewRow(name, p, raw)
	}
	if err := r.edit("charts", "workload.yaml", "name: main", "name: app"); err != nil {
		return err
	}
	if err := r.edit("kustomize", "workload.yaml", "name: main", "name: app"); err != nil {
		return err
	}
	if err := r.commit(ctx, "every addon"); err != nil {
		return err
	}
	for _, name := range []string{"preview, cold: every application changed (two renders each)", "preview, warm: the same again"} {
		p, err := b.preview(ctx, filepath.Join(cache, "all"), r)
		if err != nil {
			return err
		}
		b.previewRow(name, p, raw)
	}
	return nil
}

func (b *bench) preview(ctx context.Context, cache string, r *repository) (previewed, error) {
	return b.causeway(ctx, cache, r, "preview", "--base", "HEAD~1", "--head", "HEAD", "-o", "json")
}

// causeway runs the command as CI does: a new process each time.
func (b *bench) causeway(ctx context.Context, cache string, r *repository, args ...string) (previewed, error) {
	args = append(args, "--repo", r.dir, "--clusters", filepath.Join(r.dir, "clusters"), "--cache-dir", cache, "--no-fetch", "--branch", "main")
	cmd := exec.CommandContext(ctx, b.engine, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	p := previewed{wall: time.Since(start)}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != changesFound) {
		return p, fmt.Errorf("causeway %s: %w: %s%s", args[0], err, errs.String(), tail(out.Bytes()))
	}
	p.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.peak = u.Maxrss << 10
	}
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		return p, fmt.Errorf("causeway %s: %w", args[0], err)
	}
	return p, nil
}

func tail(text []byte) []byte {
	const most = 2000
	return text[max(0, len(text)-most):]
}

func (b *bench) previewRow(name string, p previewed, raw time.Duration) {
	b.out.row(name, fmt.Sprintf("%s, %d MiB", seconds(p.wall), p.peak>>20), times(p.wall, raw))
	if p.Summary.Changed > 0 {
		b.out.row("  changed; rendered; known", fmt.Sprintf("%d; %d; %d", p.Summary.Changed, p.Summary.Rendered, p.Summary.Reused), "")
	}
}
