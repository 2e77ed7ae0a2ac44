package child

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestMakeRefuses has what keeps an engine from running one more cluster.
func TestMakeRefuses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "causeway-kube")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		dir     string
		most    int
		program string
		running int
		kind    gitops.ProblemKind
		problem string
	}{
		"NoFolder":  {"in a cluster the engine has no folder for them", "", 8, program, 0, gitops.Forbidden, "--embedded-clusters"},
		"None":      {"they are turned off", t.TempDir(), 0, program, 0, gitops.Forbidden, "choose another driver"},
		"NoProgram": {"the program is not there", t.TempDir(), 8, program + "-none", 0, gitops.NotFound, "causeway-kube beside the engine"},
		"Full":      {"as many run as may", t.TempDir(), 2, program, 2, gitops.Forbidden, "2 embedded clusters run already"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CAUSEWAY_KUBE", tc.program)
			d := New(Options{Dir: tc.dir, Most: tc.most})
			defer d.Close()
			for _, other := range []string{"a", "b"}[:tc.running] {
				d.members[other] = &member{name: other}
			}
			_, err := d.Make(t.Context(), declared("dev"))
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || !strings.Contains(err.Error(), tc.problem) || d.members["dev"] != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestRemove takes away what one cluster left, and nothing else.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dev", "development"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "etcd"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d := New(Options{Dir: dir})
	defer d.Close()
	stopped := false
	d.members["dev"] = &member{name: "dev", stop: func() { stopped = true }}
	var p *gitops.Problem
	if err := d.Remove(t.Context(), declared("dev")); !errors.As(err, &p) || p.Kind != gitops.NotReady || !stopped {
		t.Errorf("a cluster that runs is stopped first: stopped %t, %v", stopped, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dev")); err != nil {
		t.Errorf("its data went while it ran: %v", err)
	}
	delete(d.members, "dev")
	for range 2 { // the second time nothing is there
		if err := d.Remove(t.Context(), declared("dev")); err != nil {
			t.Error(err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "development" {
		t.Errorf("left are %v, %v", left, err)
	}
	nowhere := New(Options{})
	defer nowhere.Close()
	if err := nowhere.Remove(t.Context(), declared("dev")); err != nil {
		t.Errorf("an engine that never made one has nothing to take away: %v", err)
	}
}

func declared(name string) *causeway.Cluster {
	return &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: causeway.ClusterSpec{Embedded: &causeway.EmbeddedCluster{}}}
}

// A cluster runs on as it is until another number of nodes is wanted, or another driver:
// its Applications may have to leave it first.
func TestClustersThatRun(t *testing.T) {
	other := declared("dev")
	other.Spec = causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{}}
	cases := map[string]struct {
		reason  string
		runs    int // nodes
		cluster *causeway.Cluster
		stops   bool
	}{
		"Same":    {"nothing changed", 3, withNodes(3), false},
		"Unsaid":  {"one node need not be said", 1, withNodes(0), false},
		"More":    {"more nodes are wanted", 1, withNodes(2), true},
		"Fewer":   {"or fewer", 2, withNodes(0), true},
		"Another": {"the spec names another driver", 3, other, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := New(Options{}) // this engine makes none, and goes on with what it has
			defer d.Close()
			stopped := false
			m := &member{name: "dev", nodes: tc.runs, stop: func() { stopped = true }}
			m.set(kubeconfig.Connection{Server: "https://127.0.0.1:1"}, nil)
			d.members["dev"] = m
			if c, err := d.Make(t.Context(), tc.cluster); err != nil || c.Server != "https://127.0.0.1:1" || stopped != tc.stops {
				t.Errorf("%s: reached at %q, stopped %t: %v", tc.reason, c.Server, stopped, err)
			}
		})
	}
	d := New(Options{Dir: t.TempDir(), Most: 1})
	defer d.Close()
	if _, err := d.Make(t.Context(), other); !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "write spec.embedded again") {
		t.Errorf("one that does not run and is another driver's by now: %v", err)
	}
}

func withNodes(n int32) *causeway.Cluster {
	c := declared("dev")
	c.Spec.Embedded.Nodes = n
	return c
}

// A cluster that cannot be started is tried again, and until then says why, and where its
// log is. It takes its place until it is removed, or the engine ends.
func TestClustersThatCannotBeStarted(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		end    func(*Driver) error
	}{
		"Removed": {"nobody wants it any more", func(d *Driver) error { return d.Remove(t.Context(), declared("dev")) }},
		"Closed":  {"the engine ends", func(d *Driver) error { d.Close(); return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, nil, 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("CAUSEWAY_KUBE", file)
			changes := make(chan string, 10)
			d := New(Options{Dir: file, Most: 1, Changed: func(cluster string) { changes <- cluster }, Log: slog.New(slog.DiscardHandler)})
			defer d.Close()
			if _, err := d.Make(t.Context(), declared("dev")); !gitops.IsProblem(err, gitops.NotReady) || !strings.Contains(err.Error(), "the control plane of cluster dev is starting") {
				t.Errorf("%s: at once: %v", tc.reason, err)
			}
			changed(t, changes)
			_, err := d.Make(t.Context(), declared("dev"))
			if want := "cannot make the folder of cluster dev"; !gitops.IsProblem(err, gitops.Unreachable) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "it is started again; its log: "+filepath.Join(file, "dev", logName)) {
				t.Errorf("%s: then: %v", tc.reason, err)
			}
			if _, err := d.Make(t.Context(), declared("next")); !gitops.IsProblem(err, gitops.Forbidden) {
				t.Errorf("%s: its place is somebody else's: %v", tc.reason, err)
			}
			if err := tc.end(d); err != nil && !gitops.IsProblem(err, gitops.NotReady) {
				t.Fatal(err)
			}
			d.keepers.Wait()
			changed(t, changes) // whoever waits for its end is told
			if len(d.members) > 0 {
				t.Errorf("%s: %d clusters are left", tc.reason, len(d.members))
			}
		})
	}
}

func changed(t *testing.T, changes <-chan string) {
	t.Helper()
	select {
	case got := <-changes:
		if got != "dev" {
			t.Errorf("cluster %s changed", got)
		}
	case <-time.After(await.Limit):
		t.Fatal("nothing changed")
	}
}

// The kubeconfig that a control plane writes is all that is known of how to reach it.
func TestKubeconfigsOfControlPlanes(t *testing.T) {
	const text = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: hunter2}}]
`
	for name, tc := range map[string]struct{ reason, text, says string }{
		"Whole": {"as it is written", text, ""},
		"Half":  {"the process ended while it wrote", text[:len(text)/2], "cannot use the kubeconfig"},
		"None":  {"there is none", "", "cannot read the kubeconfig of an embedded cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kubeconfig")
			if tc.text != "" {
				if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c, err := read(file)
			if tc.says == "" && (err != nil || c.Server != "https://127.0.0.1:1" || c.Login.BearerToken != "hunter2") {
				t.Errorf("%s: got %s, %v", tc.reason, c.Server, err)
			}
			if tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}
