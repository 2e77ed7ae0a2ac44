package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/test/await"
)

// program is the command line, which `make build` makes.
func program(t *testing.T) string {
	t.Helper()
	named := os.Getenv("CAUSEWAY")
	if named == "" {
		named = "../../../../bin/causeway"
	}
	path, err := filepath.Abs(named)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("cannot find the program causeway: run `make build`, or name it in CAUSEWAY: %v", err)
	}
	return path
}

// commit makes a folder a repository.
func commit(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "all"}} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
}

// engineRuns starts the engine beside the control plane, for the test.
func engineRuns(t *testing.T, args ...string) {
	t.Helper()
	stop, err := engineStarts(t, program(t), t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
}

// engineStarts starts it until it is stopped. What it said is logged where the
// test has failed by then.
func engineStarts(t *testing.T, program, dir string, args ...string) (stop func(), err error) {
	t.Helper()
	log, err := os.CreateTemp(dir, "engine-*.log")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, append([]string{"run", "--kubeconfig", kubeconfig, "--cache-dir", filepath.Join(dir, "cache")}, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(await.Limit):
			_ = cmd.Process.Kill()
			<-ended
		}
		_ = log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the engine said:\n%s", text)
		}
	}, nil
}

// TestExampleEmbedded plays terraform/examples/embedded as its page says.
func TestExampleEmbedded(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "terraform")
	for _, dir := range []string{"examples/embedded", "modules/gitops-bridge"} {
		if err := os.CopyFS(filepath.Join(tree, dir), os.DirFS(filepath.Join("../../..", dir))); err != nil {
			t.Fatal(err)
		}
	}
	w := &workspace{t: t, dir: filepath.Join(tree, "examples/embedded"), namespace: "argocd"}
	fleet := filepath.Join(w.dir, "fleet")
	commit(t, fleet)
	w.env = []string{"TF_VAR_kubeconfig=" + kubeconfig, "TF_VAR_causeway=" + program(t), "XDG_CACHE_HOME=" + t.TempDir()}
	w.must("init")
	w.must("apply", "-target=module.gitops_bridge.causeway_install.argocd")
	engineRuns(t, "--mirror", "https://git.example.com/platform="+fleet)
	w.must("apply")
	if out := w.must("output"); !strings.Contains(out, `"guestbook" = "Healthy"`) {
		t.Errorf("got %s", out)
	}
	w.quiet("the fleet is as configured")

	w.env = append(w.env, "TF_VAR_enable_metrics=true")
	plan := w.changes("a switch is turned on")
	for _, want := range []string{"Applications: 1 to add, 0 to change, 0 to delete", "metrics-hub on hub"} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan has no %q:\n%s", want, plan)
		}
	}
	w.must("apply")
	if _, err := client(t).AppsV1().Deployments("metrics").Get(t.Context(), "metrics", metav1.GetOptions{}); err != nil {
		t.Errorf("the addon did not arrive: %v", err)
	}
	w.quiet("the preview leaves nothing to do behind")
	w.must("destroy")
}
