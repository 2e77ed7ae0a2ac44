package kind

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kindcluster "sigs.k8s.io/kind/pkg/cluster"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

const text = `
apiVersion: v1
kind: Config
current-context: kind
clusters: [{name: kind, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: kind, context: {cluster: kind, user: kind}}]
users: [{name: kind, user: {token: t}}]
`

// engine is a container engine in memory.
type engine struct {
	mu       sync.Mutex
	clusters []string
	down     error
	// broken are what cannot be made, deleted and told, by what is asked for.
	broken map[string]error
	calls  int    // how often something was asked for
	file   string // the kubeconfig that the last deletion was given
}

func (e *engine) ask(what string) error {
	e.calls++
	return e.broken[what]
}

func (e *engine) List() ([]string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.clusters), errors.Join(e.down, e.ask("list"))
}

func (e *engine) Create(name string, _ ...kindcluster.CreateOption) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.ask("create"); err != nil {
		return err
	}
	e.clusters = append(e.clusters, name)
	return nil
}

func (e *engine) Delete(name, file string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.file = file
	if err := e.ask("delete"); err != nil {
		return err
	}
	e.clusters = slices.DeleteFunc(e.clusters, func(n string) bool { return n == name })
	return nil
}

func (e *engine) KubeConfig(string, bool) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return text, e.ask("kubeconfig")
}

// driver tells of each change on the channel.
func driver(t *testing.T, detect func() (Provider, error)) (*Driver, <-chan string) {
	t.Helper()
	changes := make(chan string, 10)
	d := New(Options{Detect: detect, Dir: t.TempDir(), Changed: func(name string) { changes <- name }, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(d.Close)
	return d, changes
}

func changed(t *testing.T, changes <-chan string) {
	t.Helper()
	select {
	case <-changes:
	case <-time.After(await.Limit):
		t.Fatal("nothing changed")
	}
}

func kindOf(t *testing.T, err error) gitops.ProblemKind {
	t.Helper()
	var p *gitops.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem", err)
	}
	return p.Kind
}

var dev = &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Spec: causeway.ClusterSpec{Kind: &causeway.KindCluster{}}}

func TestMakeAndRemove(t *testing.T) {
	docker := &engine{clusters: []string{"dev"}} // made by a person
	d, changes := driver(t, func() (Provider, error) { return docker, nil })
	if _, err := d.Make(t.Context(), dev); kindOf(t, err) != gitops.NotReady {
		t.Errorf("at once the cluster is %v", err)
	}
	changed(t, changes)
	c, err := d.Make(t.Context(), dev)
	if err != nil || c.Server != "https://127.0.0.1:1" || c.Login.BearerToken != "t" {
		t.Fatalf("got %+v, %v", c, err)
	}
	if names, _ := docker.List(); !slices.Equal(names, []string{"dev", "causeway-dev"}) {
		t.Errorf("the clusters are %q", names)
	}
	if err := d.Remove(t.Context(), dev); kindOf(t, err) != gitops.NotReady {
		t.Errorf("at once the deletion tells %v", err)
	}
	changed(t, changes)
	if err := d.Remove(t.Context(), dev); err != nil {
		t.Error(err)
	}
	if names, _ := docker.List(); !slices.Equal(names, []string{"dev"}) {
		t.Errorf("the clusters are %q: one that a person made must stay", names)
	}
}

// TestOnlyItsOwn meets clusters that have the name of a Cluster already.
func TestOnlyItsOwn(t *testing.T) {
	ready := dev.DeepCopy()
	ready.Status.Server = "https://127.0.0.1:1"
	cases := map[string]struct {
		reason  string
		cluster *causeway.Cluster
		// made is what was done to it before by an engine with the same folder.
		made func(*Driver) error
		ours bool
	}{
		"Person":  {"one that a person made is neither used nor deleted", dev, func(*Driver) error { return nil }, false},
		"Ended":   {"one that an engine had begun to make is gone on with", dev, func(d *Driver) error { return d.record("dev") }, true},
		"Ready":   {"one that was ready is known, though the folder is lost", ready, func(*Driver) error { return nil }, true},
		"Removed": {"the record ends with the cluster", dev, func(d *Driver) error { return errors.Join(d.record("dev"), d.unrecord("dev")) }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			docker := &engine{clusters: []string{"causeway-dev"}}
			d, changes := driver(t, func() (Provider, error) { return docker, nil })
			if err := tc.made(d); err != nil {
				t.Fatal(err)
			}
			_, _ = d.Make(t.Context(), tc.cluster)
			changed(t, changes)
			_, err := d.Make(t.Context(), tc.cluster)
			if tc.ours != (err == nil) || err != nil && (kindOf(t, err) != gitops.Invalid || !strings.Contains(err.Error(), "causeway-dev")) {
				t.Errorf("%s: making it tells %v", tc.reason, err)
			}
			if err := d.Remove(t.Context(), tc.cluster); kindOf(t, err) != gitops.NotReady {
				t.Errorf("at once the deletion tells %v", err)
			}
			changed(t, changes)
			if err := d.Remove(t.Context(), tc.cluster); err != nil {
				t.Error(err)
			}
			if names, _ := docker.List(); tc.ours != (len(names) == 0) {
				t.Errorf("%s: after the deletion there are %q", tc.reason, names)
			}
			if records, err := os.ReadDir(d.Dir); err != nil || len(records) > 0 {
				t.Errorf("%v is remembered, %v", records, err)
			}
		})
	}
}

func TestMakeTells(t *testing.T) {
	cases := map[string]struct {
		reason string
		detect func() (Provider, error)
		kind   gitops.ProblemKind
		word   string
	}{
		"NoDocker": {"a machine without Docker", Detect, gitops.NotFound, "Docker"},
		"Down":     {"Docker that does not answer", func() (Provider, error) { return &engine{down: errors.New("no socket")}, nil }, gitops.Unreachable, "no socket"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir())
			d, changes := driver(t, tc.detect)
			_, _ = d.Make(t.Context(), dev)
			changed(t, changes)
			_, err := d.Make(t.Context(), dev)
			if kindOf(t, err) != tc.kind || !strings.Contains(err.Error(), tc.word) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// A step that fails is told with what failed, and not tried again at each look: kind takes
// minutes, and Docker what it can get.
func TestStepsThatFail(t *testing.T) {
	cases := map[string]struct {
		reason, step string
		do           func(*Driver) error
		word         string
	}{
		"Create":     {"the image is not there", "create", func(d *Driver) error { _, err := d.Make(t.Context(), dev); return err }, "kind cannot make the cluster: told"},
		"Kubeconfig": {"the container is stopped", "kubeconfig", func(d *Driver) error { _, err := d.Make(t.Context(), dev); return err }, "kind does not tell how to reach the cluster: told"},
		"Delete":     {"a volume is in use", "delete", func(d *Driver) error { return d.Remove(t.Context(), dev) }, "kind cannot delete the cluster: told"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			docker := &engine{broken: map[string]error{tc.step: errors.New("told")}}
			d, changes := driver(t, func() (Provider, error) { return docker, nil })
			d.Fresh = time.Hour
			if tc.step == "delete" {
				docker.clusters = []string{"causeway-dev"}
				if err := d.record("dev"); err != nil {
					t.Fatal(err)
				}
			}
			if err := tc.do(d); kindOf(t, err) != gitops.NotReady {
				t.Errorf("%s: at once it is told %v", tc.reason, err)
			}
			changed(t, changes)
			d.work.Wait()
			calls := docker.calls
			for range 3 {
				if err := tc.do(d); kindOf(t, err) != gitops.Unreachable || !strings.Contains(err.Error(), tc.word) {
					t.Errorf("%s: it is told %v", tc.reason, err)
				}
			}
			if d.work.Wait(); docker.calls != calls {
				t.Errorf("%s: it is tried again at once, by %d calls", tc.reason, docker.calls-calls)
			}
		})
	}
}

// The library writes to a kubeconfig: to one that is gone afterwards, and never to the user's.
func TestKubeconfigOfTheUserStays(t *testing.T) {
	docker := &engine{clusters: []string{"causeway-dev"}}
	d, changes := driver(t, func() (Provider, error) { return docker, nil })
	if err := d.record("dev"); err != nil {
		t.Fatal(err)
	}
	_ = d.Remove(t.Context(), dev)
	changed(t, changes)
	if _, err := os.Stat(filepath.Dir(docker.file)); docker.file == "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the library was given %q, which is there still: %v", docker.file, err)
	}
}

// Who cannot remember what it made makes nothing, and takes nothing away. A Cluster whose
// spec names another driver by now is not made anew.
func TestClustersThatAreNotMade(t *testing.T) {
	other := dev.DeepCopy()
	other.Spec = causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{}}
	docker := &engine{}
	d, changes := driver(t, func() (Provider, error) { return docker, nil })
	if _, err := d.Make(t.Context(), other); kindOf(t, err) != gitops.Invalid || !strings.Contains(err.Error(), "write spec.kind again") || docker.calls > 0 {
		t.Errorf("of another driver: %d calls, %v", docker.calls, err)
	}
	d.Dir = ""
	_, _ = d.Make(t.Context(), dev)
	changed(t, changes)
	if _, err := d.Make(t.Context(), dev); kindOf(t, err) != gitops.Forbidden || !strings.Contains(err.Error(), "it has no folder to remember them in") || len(docker.clusters) > 0 {
		t.Errorf("without a folder there are %q, %v", docker.clusters, err)
	}
	docker.clusters = []string{"causeway-dev"} // by somebody else
	_ = d.Remove(t.Context(), dev)
	changed(t, changes)
	if err := d.Remove(t.Context(), dev); err != nil || len(docker.clusters) != 1 {
		t.Errorf("after the deletion there are %q, %v", docker.clusters, err)
	}
}

// Where Docker is gone, a Cluster of which nothing was made goes; one that was made waits.
func TestDeletionWithoutDocker(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		made   bool
	}{
		"Made": {"what was made may be there still", true},
		"None": {"nothing was", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir())
			d, changes := driver(t, Detect)
			if tc.made {
				if err := d.record("dev"); err != nil {
					t.Fatal(err)
				}
			}
			_ = d.Remove(t.Context(), dev)
			changed(t, changes)
			if d.work.Wait(); d.known["dev"].removed == tc.made {
				t.Errorf("%s: it is removed %t: %v", tc.reason, !tc.made, d.known["dev"].err)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	got := Config(causeway.KindCluster{Image: "kindest/node:v1.36.0", Workers: 2})
	want := []v1alpha4.Node{
		{Role: v1alpha4.ControlPlaneRole, Image: "kindest/node:v1.36.0"},
		{Role: v1alpha4.WorkerRole, Image: "kindest/node:v1.36.0"},
		{Role: v1alpha4.WorkerRole, Image: "kindest/node:v1.36.0"},
	}
	if diff := cmp.Diff(want, got.Nodes); diff != "" {
		t.Error(diff)
	}
}
