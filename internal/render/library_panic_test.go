package render_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// fragile breaks on a file, and tells what is in it.
type fragile struct{ times int }

func (*fragile) Type() gitops.SourceType { return gitops.SourceDirectory }

func (f *fragile) Render(_ context.Context, s *source.Source) ([]gitops.Manifest, error) {
	f.times++
	text, _ := s.Tree.ReadFile("plain/a.yaml")
	panic("cannot go on with " + string(text))
}

func TestBroken(t *testing.T) {
	var log bytes.Buffer
	library := &fragile{}
	r := render.New(render.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, library)
	app := application("web", at("plain"))
	files := monorepo().With("plain/a.yaml", "password: hunter2")
	for _, s := range []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files), treetest.Snapshot(repo, rev2, files.With("elsewhere/readme.md", "y"))} {
		_, err := r.Application(t.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s}})
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Invalid || p.Where.File != "plain" || !strings.Contains(p.What, "application web: a library broke on source 1") {
			t.Fatalf("at %s: %v", s.Revision, err)
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "goroutine") {
			t.Errorf("the panic is told: %v", err)
		}
	}
	if library.times != 1 {
		t.Errorf("it was rendered %d times; nothing changed in what was read", library.times)
	}
	if text := log.String(); strings.Count(text, "stack=") != 1 || !strings.Contains(text, "fragile") || strings.Contains(text, "hunter2") {
		t.Errorf("the log has the stack once, and not what is in files:\n%s", text)
	}
	s := treetest.Snapshot(repo, rev2, files.With("plain/a.yaml", "other"))
	if _, err := r.Application(t.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s}}); err == nil || library.times != 2 {
		t.Errorf("a change is tried: %d times, %v", library.times, err)
	}
}
