package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
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
