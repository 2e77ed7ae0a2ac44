package chronicle

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/test/await"
)

// opened is a chronicle of an engine, which writes until the test is over.
func opened(t *testing.T, o Options) (c *Chronicle, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	o.Log, o.Metrics = slog.New(slog.NewTextHandler(log, nil)), prometheus.NewRegistry()
	c, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		c.Close(context.WithoutCancel(t.Context()))
	})
	return c, log
}

// metrics are the names of what is measured, and the values of counters and gauges without labels.
func metrics(t *testing.T, c *Chronicle) map[string]float64 {
	t.Helper()
	all, err := c.o.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			out[f.GetName()] += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return out
}

var started = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// aSync is one of the application shop that is over.
func aSync(rendering string) history.Sync {
	return history.Sync{
		ID: history.ID("uid", started.Add(time.Duration(rendering[0])*time.Second)), App: history.App{Namespace: "argocd", Name: "shop", UID: "uid"}, Cause: history.Automated,
		Started: started, Finished: started.Add(3 * time.Second), Phase: history.PhaseSucceeded, Rendering: rendering, Project: "p", Server: "https://a",
	}
}

// aRendering has a ConfigMap with a value, and a value that was decrypted.
func aRendering(digest, value, hidden string) *gitops.Rendering {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "settings"}, "data": map[string]any{"value": value, "hidden": hidden},
	}}
	return &gitops.Rendering{Digest: digest, Hidden: []string{hidden}, Manifests: []gitops.Manifest{{Object: object}}}
}

func TestChroniclesKeepWhatSyncsDid(t *testing.T) {
	dir := t.TempDir()
	c, _ := opened(t, Options{CacheDir: dir})
	one, two := aSync("1"), aSync("2")
	for _, s := range []history.Sync{one, two} {
		c.Rendering(aRendering(s.Rendering, "of "+s.Rendering, "hidden-value-of-"+s.Rendering))
		c.Sync(s)
	}
	await.Until(t, func(ctx context.Context) error {
		_, first := c.Kept(ctx, one.ID)
		_, second := c.Kept(ctx, two.ID)
		return errors.Join(first, second)
	})
	got, err := Compare(t.Context(), c.Store, one.ID, two.ID, nil)
	if err != nil || len(got.Objects) != 1 {
		t.Fatal(got, err)
	}
	for _, f := range got.Objects[0].Fields {
		if shown, _ := f.New.(string); f.Path == "data.value" && shown != "of 2" || strings.Contains(shown, "hidden-value") {
			t.Errorf("%s is shown as %v → %v", f.Path, f.Old, f.New)
		}
	}
	if len(got.Objects[0].Fields) != 2 {
		t.Errorf("the fields are %+v", got.Objects[0].Fields)
	}
	for _, ids := range [][2]string{{one.ID, "none"}, {"none", two.ID}} {
		if _, err := Compare(t.Context(), c.Store, ids[0], ids[1], nil); !gitops.IsProblem(err, gitops.NotFound) {
			t.Errorf("of a sync that is not there is told %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, KeyFile)); err != nil {
		t.Errorf("the key is not beside the history: %v", err)
	}
	beside, err := OpenFile(filepath.Join(dir, File), filepath.Join(dir, KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if syncs, err := beside.List(t.Context(), "argocd", "shop", 10); err != nil || len(syncs) != 2 {
		t.Errorf("a command on this machine reads %d syncs, %v", len(syncs), err)
	}
	if err := beside.Close(); err != nil {
		t.Error(err)
	}
}

// What an engine does by itself is in the audit, as the engine's.
func TestChroniclesNoteWhatHappensByItself(t *testing.T) {
	c, _ := opened(t, Options{CacheDir: t.TempDir()})
	s := aSync("1")
	s.Waves = []history.Wave{{Objects: []history.Object{{Group: "apps", Kind: "Deployment", Namespace: "web", Name: "old", Pruned: true}}}}
	running := s
	running.Finished = time.Time{}
	c.Sync(running)
	c.Sync(s)
	c.Held("Cluster", "argocd/prod", 2, "")
	noted(t, c, 2)
	entries, err := c.Store.Audit(t.Context(), store.AuditQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []string // a sync that is not over has deleted nothing yet
	for _, e := range slices.Backward(entries) {
		got = append(got, strings.Join([]string{e.Who.Name, string(e.Outcome), e.Verb, e.Resource, e.Namespace + "/" + e.Name, e.Message}, ", "))
	}
	want := []string{
		audit.Engine + ", allowed, prune, applications, argocd/shop, deleted 1 object in a sync: automated",
		audit.Engine + ", allowed, hold, clusters, argocd/prod, 2 deletions held until somebody approves",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEnginesWithoutAHistory(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		options Options
		// audits tells that what is lost of the audit is counted.
		audits bool
		log    string
	}{
		"Off":     {"who wants none misses none", Options{Config: Config{Off: true, URL: "no place"}}, false, ""},
		"Key":     {"without a place for its key the engine runs all the same", Options{CacheDir: filepath.Join(blocked, "below")}, true, "no history is kept"},
		"Secret":  {"so it does without a hub that has it", Options{Config: Config{URL: "postgres://db/x"}, Hub: &rest.Config{Host: "http://127.0.0.1:1"}}, true, "no history is kept"},
		"BadPath": {"the folder of a file that the user names", Options{Config: Config{URL: filepath.Join(blocked, "h.db")}}, true, "no history is kept"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, log := opened(t, tc.options)
			c.Sync(aSync("1"))
			c.Rendering(aRendering("1", "a", "b"))
			c.Health(history.App{}, "", nil)
			c.Step(history.Step{})
			c.Note(&audit.Entry{Verb: "delete"})
			began, err := c.Began(t.Context(), history.App{}, "r", started)
			passed, err2 := c.Passed(t.Context(), history.App{}, "s", started)
			if began || passed || err != nil || err2 != nil {
				t.Errorf("%s: what nobody knows is begun %t, passed %t, %v, %v", tc.reason, began, passed, err, err2)
			}
			if _, err := c.Kept(t.Context(), "1"); !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), "no history is kept; run the engine with --store") {
				t.Errorf("%s: of a sync is told %v", tc.reason, err)
			}
			lost, counted := metrics(t, c)[auditLost.Name]
			if counted != tc.audits || counted && lost != 1 || c.Seal == nil {
				t.Errorf("%s: %v entries are lost, counted %t", tc.reason, lost, counted)
			}
			if !strings.Contains(log.String(), tc.log) || tc.log == "" && log.Len() > 0 {
				t.Errorf("%s: the log says %q", tc.reason, log.String())
			}
			if metrics(t, c)["causeway_syncs_total"] != 1 {
				t.Errorf("%s: syncs are not counted", tc.reason)
			}
		})
	}
}

// What the user wrote wrongly ends the start, and is not taken for an outage.
func TestHistoriesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, KeyFile), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c, err := Open(t.Context(), Options{CacheDir: dir, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil || c.Store != nil || !strings.Contains(log.String(), "put back the file that was there") {
		t.Errorf("with a file that is no key: %v, and the log says %q", err, log.String())
	}
	if _, err := OpenFile(filepath.Join(dir, File), filepath.Join(dir, KeyFile)); err == nil {
		t.Error("a command opens what it has no key for")
	}
	if _, err := OpenFile("nowhere://x", filepath.Join(dir, "other.key")); err == nil {
		t.Error("a command opens what is no place")
	}
}

// A store is measured, and applications one by one where somebody asked for that.
func TestWhatIsMeasured(t *testing.T) {
	for per, want := range map[bool]float64{true: 1, false: 0} {
		c, _ := opened(t, Options{CacheDir: t.TempDir(), PerApplication: per})
		c.Sync(aSync("1"))
		got := metrics(t, c)
		if got["argocd_app_sync_total"] != want {
			t.Errorf("per application %t: %v syncs are counted of one", per, got["argocd_app_sync_total"])
		}
		for _, name := range []string{"causeway_history_up", "causeway_history_queued", "causeway_history_written_total", "causeway_history_lost_total", "causeway_audit_errors_total", auditLost.Name} {
			if _, there := got[name]; !there {
				t.Errorf("%s is not measured", name)
			}
		}
		c.Gone(types.NamespacedName{Namespace: "argocd", Name: "shop"})
		if _, there := metrics(t, c)["argocd_app_sync_total"]; there {
			t.Error("an application that is gone is counted still")
		}
	}
}
