package kind

import (
	"errors"
	"log/slog"
	"os"
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
}

func (e *engine) List() ([]string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.clusters), e.down
}

func (e *engine) Create(name string, _ ...kindcluster.CreateOption) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clusters = append(e.clusters, name)
	return nil
}

func (e *engine) Delete(name, _ string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clusters = slices.DeleteFunc(e.clusters, func(n string) bool { return n == name })
	return nil
}

func (e *engine) KubeConfig(string, bool) (string, error) { return text, nil }

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
