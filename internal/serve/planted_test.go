package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/planted"
)

// planting is a site whose every input has a secret, and what it tells.
type planting struct {
	t    *testing.T
	site *site
	bed  *planted.Bed
	echo *echo
	v    *visitor
	// told has outputs by what they are.
	told map[string][]byte
	// log is what it logs, spans what a collector of traces gets.
	log, spans *kept
	metrics    string
	// program gets credentials of clusters, notes has a file for each process
	// that was started.
	program, notes, cache string
	// apps are to come to an end, good or bad, before anything is looked at.
	apps      []string
	installed installation
	// repos and spokes are what Secrets describe, by name.
	repos, spokes  map[string]given
	sshURL, sshKey string
}

// kept keeps what is written, of several goroutines.
type kept struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(p)
}

func (k *kept) bytes() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return bytes.Clone(k.text.Bytes())
}

// newPlanting prepares a site that starts when all is planted.
func newPlanting(t *testing.T) *planting {
	t.Helper()
	p := &planting{t: t, bed: &planted.Bed{}, told: map[string][]byte{}, log: &kept{}, spans: &kept{}, notes: t.TempDir(), cache: t.TempDir()}
	t.Setenv("TMPDIR", t.TempDir())
	p.watchPrograms()
	p.echo = newEcho(t, p.bed)
	p.sshURL, p.sshKey = behindSSH(t)
	p.bed.Keep("repository: SSH key", p.sshKey)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.Header.Write(p.spans)
		_, _ = io.Copy(p.spans, r.Body)
	}))
	t.Cleanup(collector.Close)
	l := listen(t)
	p.metrics = "http://" + l.Addr().String()
	p.site = prepareSite(t, nil, func(c *app.Config) { p.configure(c, l, collector.URL) })
	return p
}

func (p *planting) configure(c *app.Config, l net.Listener, collector string) {
	c.CacheDir, c.Listener, c.Traces, c.AppMetrics = p.cache, l, collector+"/v1/traces", true
	c.Rendering = p.rendering()
	c.Rendering.StoreDir = filepath.Join(p.cache, "renderings")
	all := &slog.HandlerOptions{Level: slog.LevelDebug}
	c.Log = slog.New(slog.NewMultiHandler(slog.NewTextHandler(p.log, all), slog.NewJSONHandler(p.log, all)))
}

// watched are the programs that the engine starts by name.
var watched = []string{"git", "ssh"}

// watchPrograms puts programs before those of the machine that note how they
// were started, each in a file of its own.
func (p *planting) watchPrograms() {
	p.t.Helper()
	dir := p.t.TempDir()
	for _, name := range watched {
		behind, err := exec.LookPath(name)
		if err != nil {
			p.t.Skipf("%s is not installed", name)
		}
		p.script(dir, name, fmt.Sprintf("[ \"$GIT_OPTIONAL_LOCKS\" = 0 ] || exec %[3]s \"$@\"\ntr '\\0' ' ' < /proc/$$/cmdline > %[1]s/%[2]s-$$.argv\ntr '\\0' '\\n' < /proc/$$/environ > %[1]s/%[2]s-$$.env\nexec %[3]s \"$@\"\n", p.notes, name, behind))
	}
	p.program = p.script(dir, "credential", fmt.Sprintf("printf '%%s' \"$GIVEN $*\" > %s/program-$$.given\necho \"it says $GIVEN $*\" >&2\n[ $1 = fails ] && exit 1\necho \"it prints $GIVEN $*\"\n", p.notes))
	p.t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func (p *planting) script(dir, name, text string) string {
	p.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// app makes an Application that is looked at when it has come to an end.
func (p *planting) app(name string, change func(*v1alpha1.Application)) {
	p.t.Helper()
	p.site.App(name, "app", func(a *v1alpha1.Application) {
		a.Finalizers = nil
		change(a)
	})
	p.apps = append(p.apps, name)
}

// settle waits until each Application is synced, or says why it is not.
func (p *planting) settle() {
	p.t.Helper()
	for _, name := range p.apps {
		p.site.Until(name, "settled", func(a *v1alpha1.Application) bool {
			if op := a.Status.OperationState; op != nil && !op.Phase.Completed() {
				return false
			}
			manual := a.Spec.SyncPolicy == nil && a.Status.Sync.Status != ""
			return len(a.Status.Conditions) > 0 || manual || a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced
		})
	}
}

// Of all that the product is given to keep, nothing is in what it tells: not in
// logs, answers, objects, on disks, nor with the programs that it starts.
func TestPlantedSecretsShowNowhere(t *testing.T) {
	p := newPlanting(t)
	p.plantAll()
	stop := p.site.start()
	p.signsInEverywhere()
	p.settle()
	p.site.Until("repository-ssh-key", "synced", func(a *v1alpha1.Application) bool { return a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced })
	p.bed.Used("repository: SSH key")
	p.applied()
	p.untilMetadata()
	p.untilSets()
	p.reached()
	p.listenEverywhere()
	stop()
	p.looksAtRemains()
	for where, data := range p.told {
		for _, found := range p.bed.Find(data) {
			if !allowed(where, found) {
				t.Errorf("%s: %v", where, found)
			}
		}
	}
}

// reached waits until the product has had each secret: what it was not given, it
// cannot tell.
func (p *planting) reached() {
	p.t.Helper()
	embeddedtest.Eventually(p.t, func(context.Context) error {
		if unused := p.bed.Unused(); len(unused) > 0 {
			source := &causeway.ClusterSource{}
			_ = p.site.Get(p.t.Context(), types.NamespacedName{Namespace: p.site.Namespace, Name: "planted"}, source)
			return fmt.Errorf("nothing shows that the product had the secrets of %q; the ClusterSource is %+v", unused, source.Status)
		}
		return nil
	})
	if err := p.bed.Err(); err != nil {
		p.t.Fatal(err)
	}
}
