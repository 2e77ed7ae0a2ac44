package render_test

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestMain is also the processes that render.
func TestMain(m *testing.M) {
	render.Worker(tools)
	os.Exit(m.Run())
}

// silent is a host that does not answer.
type silent struct{}

func (silent) Snapshot(ctx context.Context, _ gitops.SourceRef) (*gitops.Snapshot, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestStuck tells that what does not end is stopped at the limit of time, so
// that the only slot is free for the next application.
func TestStuck(t *testing.T) {
	cases := map[string]struct{ reason, path, file, text string }{
		"Helm":      {"a template that loops", "web", "web/templates/x.yaml", "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}"},
		"Kustomize": {"a base whose host does not answer", "far", "far/kustomization.yaml", "resources: ['https://git.example.com/org/other//base?ref=main']\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			charts := helm.New(helm.Options{Limits: engine.Limits{Steps: math.MaxInt64}})
			limits := render.Limits{Parallel: 1, Time: time.Second}
			r := render.New(render.Options{Limits: limits, Remotes: silent{}}, directory.Renderer{}, charts, kustomize.New(kustomize.Options{}))
			s := treetest.Snapshot(repo, rev1, monorepo().With(tc.file, tc.text))
			_, err := r.Application(t.Context(), render.Input{App: application("stuck", at(tc.path)), Snapshots: []*gitops.Snapshot{s}})
			if err == nil || !strings.Contains(err.Error(), "rendering did not end within 1s") {
				t.Errorf("%s: %v", tc.reason, err)
			}
			r.Wait()
			// The limit holds for the next one, too, and a second may be short for it while the machine is busy.
			var next *gitops.Rendering
			for end := time.Now().Add(await.Limit); time.Now().Before(end); {
				if next, err = r.Application(t.Context(), render.Input{App: application("next", at("plain")), Snapshots: []*gitops.Snapshot{s}}); err == nil {
					break
				}
			}
			if next == nil || len(next.Manifests) != 1 {
				t.Errorf("%s: the next application was rendered as %+v: %v", tc.reason, next, err)
			}
		})
	}
}

// TestOwnSchemaHoldsUpNobody has a kustomization that brings a schema wait for a host that does not answer: others are
// built meanwhile.
func TestOwnSchemaHoldsUpNobody(t *testing.T) {
	asked := make(chan struct{})
	r := apartly(t, render.Options{Remotes: asking{asked}}, nil, worker.Limits{})
	files := monorepo().With("far/kustomization.yaml", "openapi: {path: s.json}\nresources: ['https://git.example.com/org/other//base?ref=main']\n").With("far/s.json", `{"definitions": {}}`)
	files = files.With("near/kustomization.yaml", "resources: [a.yaml]\n").With("near/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
	s := treetest.Snapshot(repo, rev1, files)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := r.Application(ctx, render.Input{App: application("red", at("far")), Snapshots: []*gitops.Snapshot{s}})
		ended <- err
	}()
	<-asked
	if _, err := r.Application(t.Context(), render.Input{App: application("blue", at("near")), Snapshots: []*gitops.Snapshot{s}}); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the other one was built")
	}
	r.Wait()
}

// asking is a host that does not answer, and tells that it was asked.
type asking struct{ asked chan struct{} }

func (a asking) Snapshot(ctx context.Context, _ gitops.SourceRef) (*gitops.Snapshot, error) {
	close(a.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

// whose is a host that is asked once, and keeps for whose project.
type whose struct{ project *string }

func (w whose) Snapshot(ctx context.Context, _ gitops.SourceRef) (*gitops.Snapshot, error) {
	*w.project = slots.ProjectOf(ctx)
	return nil, errors.New("it is not there")
}

// TestWorkIsOfTheProject has all that a render sets about done in the name of its project.
func TestWorkIsOfTheProject(t *testing.T) {
	var project string
	r := render.New(render.Options{Remotes: whose{&project}}, kustomize.New(kustomize.Options{}))
	files := monorepo().With("far/kustomization.yaml", "resources: ['https://git.example.com/org/other//base?ref=main']\n")
	app := application("red", at("far"))
	app.Spec.Project = "red"
	_, err := r.Application(t.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}})
	if err == nil || project != "red" {
		t.Errorf("it was asked for %q: %v", project, err)
	}
	r.Wait()
}
