package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/plugin"
	"github.com/causeway-gitops/causeway/internal/render/proxy"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/detector"
)

// tools are those of the workers of tests, and of engines without any.
func tools(setup []byte, engine *proxy.Guest) (render.Options, []source.Renderer, error) {
	return render.Options{}, testTools(shells(string(setup)), engine, engine), nil
}

// finding is the setup with a plugin that is asked by a command whether it takes a source.
const finding = "finding"

// shells are the plugins of a setup.
func shells(setup string) []plugin.Plugin {
	out := []plugin.Plugin{{Name: "shell", Generate: plugin.Command{Command: []string{"sh", "-c", "cat *.txt"}}}}
	if setup == finding {
		p := plugin.Plugin{Name: "finder", Generate: plugin.Command{Command: []string{"cat", "found.txt"}}}
		p.Discover.Find.Command = plugin.Command{Command: []string{"sh", "-c", "ls found.txt"}}
		out = append(out, p)
	}
	return out
}

func runner(t testing.TB, plugins []plugin.Plugin) *plugin.Runner {
	t.Helper()
	return plugin.NewRunner(plugin.Options{Plugins: plugins, TempDir: t.TempDir()})
}

func testTools(plugins []plugin.Plugin, files proxy.Files, programs source.Programs) []source.Renderer {
	charts := helm.New(helm.Options{Files: files})
	return []source.Renderer{odd{}, charts, kustomize.New(kustomize.Options{Charts: charts, Web: files}), plugin.New(plugins, programs)}
}

// odd renders folders, and does what a library might that has a fault: the file
// odd.txt says what.
type odd struct{ directory.Renderer }

func (o odd) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	text, err := s.Tree.ReadFile(s.Path + "/odd.txt")
	if err != nil {
		out, err := o.Renderer.Render(ctx, s)
		if s.Plain && err == nil {
			plainly.Add(1)
		}
		return out, err
	}
	if s.Plain {
		return nil, source.ErrNotPlain
	}
	switch strings.TrimSpace(string(text)) {
	case "grows":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
			_ = all
		}
	case "recurses":
		return nil, fmt.Errorf("%d", deeper(1))
	case "loops":
		for {
			_ = s.Name
		}
	}
	panic("odd")
}

// plainly counts the sources that this process rendered without a library.
var plainly atomic.Int64

func deeper(n int) int {
	if n == 0 {
		return 0
	}
	return deeper(n+1) + 1
}

// apartly is a Renderer with workers of its own.
func apartly(t testing.TB, o render.Options, files proxy.Files, l worker.Limits) *render.Renderer {
	t.Helper()
	workers := render.NewWorkers(l)
	if workers == nil {
		t.Fatal("this executable renders in no worker")
	}
	plugins := shells(o.Setup)
	programs := runner(t, plugins)
	o.Apart = &render.Apart{Workers: workers, Setup: []byte(o.Setup), Files: files, Programs: programs}
	r := render.New(o, testTools(plugins, files, programs)...)
	t.Cleanup(r.Close)
	return r
}

func oddly(files treetest.Files, what string) treetest.Files {
	return files.With("odd/odd.txt", what+"\n").With("odd/cm.yaml", configMap("odd", "1"))
}

// TestOddRenders: what a library does of a file is the error of one render, and
// the next one has all that it needs.
func TestOddRenders(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than a worker has")
	}
	var log bytes.Buffer
	r := apartly(t, render.Options{Limits: render.Limits{Time: 20 * time.Second}, Log: slog.New(slog.NewTextHandler(&log, nil))}, nil, worker.Limits{Memory: 192 << 20})
	for name, tc := range map[string]struct{ reason, does, want string }{
		"Grows":    {"memory without end", "grows", "needs too much memory (more than 192 MiB) (" + repo + " at 1111111 odd); look at what it read there"},
		"Recurses": {"a stack without end", "recurses", " odd); look at what it read there"},
		"Panics":   {"a panic", "panics", "a library broke on source 1"},
	} {
		t.Run(name, func(t *testing.T) {
			in := render.Input{App: application(name, at("odd")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, oddly(monorepo(), tc.does))}}
			_, err := r.Application(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			before := r.Stats().Rendered
			if _, again := r.Application(t.Context(), in); again == nil || again.Error() != err.Error() || r.Stats().Rendered != before {
				t.Errorf("%s: it is rendered again: %v", tc.reason, again)
			}
			in.Snapshots = []*gitops.Snapshot{treetest.Snapshot(repo, rev2, monorepo().With("odd/cm.yaml", configMap("odd", "2")))}
			got, err := r.Application(t.Context(), in)
			if err != nil || len(got.Manifests) != 1 {
				t.Errorf("%s: once it is mended: %v, %v", tc.reason, got, err)
			}
		})
	}
	if !strings.Contains(log.String(), "a library broke while rendering") || !strings.Contains(log.String(), "apart_test.go") {
		t.Errorf("the log has no stack of the panic: %s", log.String())
	}
}

// TestOddRenderEnds has a render that computes for ever ended at its limit of time, and
// its slot given to the next.
func TestOddRenderEnds(t *testing.T) {
	r := apartly(t, render.Options{Limits: render.Limits{Time: time.Second, Parallel: 1}}, nil, worker.Limits{})
	in := render.Input{App: application("one", at("odd")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, oddly(monorepo(), "loops"))}}
	if _, err := r.Application(t.Context(), in); err == nil || !strings.Contains(err.Error(), "did not end within 1s") {
		t.Fatalf("got %v", err)
	}
	r.Wait()
}

// asText has a number in one way, whether it was a float64 or an int64.
func asText(t *testing.T, values []render.SourceValues) string {
	t.Helper()
	text, err := json.MarshalIndent(values, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestApartIsTheSame renders, explains and fails in a worker as here, and is
// reused for the same reasons.
func TestApartIsTheSame(t *testing.T) {
	here := render.New(render.Options{Remotes: nothing{}}, testTools(shells(finding), nil, runner(t, shells(finding)))...)
	there := apartly(t, render.Options{Remotes: nothing{}, Setup: finding}, nil, worker.Limits{})
	files := monorepo().
		With("plugged/a.txt", configMap("plugged", "1")).
		With("found/found.txt", configMap("found", "1")).
		With("bad/cm.yaml", "a: [\n").
		With("far/kustomization.yaml", "resources: ['https://git.example.com/org/other//base?ref=main']\n").
		With("coded/x.jsonnet", "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'coded'}, data: {v: std.toString(1.5)}}")
	for _, path := range []string{"plain", "web", "monitored", "overlay", "plugged", "found", "bad", "far", "coded", "nowhere"} {
		t.Run(path, func(t *testing.T) {
			app := application(path, at(path))
			if path == "plugged" {
				app.Spec.Sources[0].Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "shell"}
			}
			in := render.Input{App: app, Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}, Facts: gitops.Facts{KubeVersion: "1.36.0", APIVersions: []string{"monitoring.coreos.com/v1"}}}
			want, wantErr := here.Application(t.Context(), in)
			got, err := there.Application(t.Context(), in)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			var missing, wantMissing *gitops.FetchError
			if errors.As(err, &missing) != errors.As(wantErr, &wantMissing) {
				t.Errorf("causes of %v are lost", err)
			}
			if path == "web" {
				app.Spec.Sources[0].Helm = &v1alpha1.ApplicationSourceHelm{
					Parameters: []v1alpha1.HelmParameter{{Name: "big", Value: "9007199254740993"}, {Name: "small", Value: "12345678"}, {Name: "list[0].a", Value: "<b>"}},
					Values:     "c: {d: [1, 1.5, null, true, {e: f}]}\n",
				}
			}
			wantValues, wantErr := here.Values(t.Context(), in)
			values, err := there.Values(t.Context(), in)
			if d := cmp.Diff(asText(t, wantValues), asText(t, values)); d != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("values: %v, want %v\n%s", err, wantErr, d)
			}
			for _, change := range []string{"plain/a.yaml", "web/values.yaml", "base/cm.yaml", "plain/notes.md"} {
				in.Snapshots = []*gitops.Snapshot{treetest.Snapshot(repo, rev2, files.With(change, configMap("changed", "2")))}
				if got, want := there.Known(t.Context(), in), here.Known(t.Context(), in); got != want {
					t.Errorf("after a change of %s it is known: %v, want %v", change, got, want)
				}
			}
		})
	}
}

// TestPlainNeedsNoWorker: files that the engine's own reader takes are rendered in the
// engine; all others are not.
func TestPlainNeedsNoWorker(t *testing.T) {
	r := apartly(t, render.Options{}, nil, worker.Limits{})
	files := monorepo().With("odd/.argocd-source.yaml", "directory: {recurse: true}\n").With("odd/a.yaml", configMap("a", "1")).
		With("secret/a.yaml", configMap("a", "1")+"sops: {}\n")
	for path, plain := range map[string]bool{"plain": true, "web": false, "overlay": false, "odd": false, "secret": false} {
		before := plainly.Load()
		_, err := r.Application(t.Context(), render.Input{App: application(path, at(path)), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}})
		if here := plainly.Load() > before; err != nil || here != plain {
			t.Errorf("%s is rendered here: %v, %v", path, here, err)
		}
	}
}

// TestPluggedIsApart: a source of a plugin, and a plugin that is asked about each source
// by its command, keep no library in the engine.
func TestPluggedIsApart(t *testing.T) {
	r := apartly(t, render.Options{Setup: finding}, nil, worker.Limits{})
	files := oddly(monorepo(), "recurses").With("plugged/a.txt", configMap("plugged", "1"))
	app := application("both", at("plugged"), at("odd"))
	app.Spec.Sources[0].Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "shell"}
	before := plainly.Load()
	in := render.Input{App: app, Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files), treetest.Snapshot(repo, rev1, files)}}
	_, err := r.Application(t.Context(), in)
	if err == nil || !strings.Contains(err.Error(), " odd); look at what it read there") {
		t.Errorf("beside a plugin: %v", err)
	}
	if got, err := r.Application(t.Context(), render.Input{App: application("plain", at("plain")), Snapshots: in.Snapshots[:1]}); err != nil || len(got.Manifests) == 0 || plainly.Load() > before {
		t.Errorf("a folder of which a command has to be asked: %v, %v", got, err)
	}
}
