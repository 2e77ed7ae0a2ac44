package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/await"
)

const tinyFleet = `apiVersion: causeway.io/v1alpha1
kind: LocalFleet
metadata: {name: tiny}
spec:
  clusters:
    - {name: hub, hub: true}
    - {name: dev, secret: dev.yaml}
  mirrors:
    https://git.example.com/shop: repo
  apply: [boot]
  next: Look around.
`

const tinyApplication = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop, path: ., targetRevision: HEAD}
  destination: {name: dev, namespace: shop}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions: [CreateNamespace=true]
`

// tinyDefinition has an object of what it defines right after it.
const tinyDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kettles.example.com}
spec:
  group: example.com
  names: {kind: Kettle, plural: kettles}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: example.com/v1
kind: Kettle
metadata: {name: first}
`

func settings(greeting string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {greeting: " + greeting + "}\n"
}

func devSecret(tier string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dev\n  labels: {environment: dev, enable_x: \"false\", tier: " + tier + "}\n"
}

// tiny is a fleet of two clusters in a folder.
type tiny struct {
	t   *testing.T
	dir string
}

func newTiny(t *testing.T) tiny {
	t.Helper()
	if _, err := embedded.FindBinary(); err != nil {
		t.Fatal(err)
	}
	f := tiny{t: t, dir: t.TempDir()}
	f.write("fleet.yaml", tinyFleet)
	f.write("dev.yaml", devSecret("one"))
	f.write("repo/settings.yaml", settings("hello"))
	f.write("boot/shop.yaml", tinyApplication)
	t.Cleanup(func() { f.run("down", "--delete") })
	return f
}

func (f tiny) write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	// By a new name, so that nothing that watches sees half of it.
	half := filepath.Join(f.dir, ".half")
	if err := errors.Join(os.WriteFile(half, []byte(text), 0o600), os.Rename(half, path)); err != nil {
		f.t.Fatal(err)
	}
}

// run runs causeway as a process of its own.
func (f tiny) run(args ...string) result {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir, cmd.WaitDelay = f.dir, 10*time.Second
	cmd.Env = append(os.Environ(), asProgram+"=1", "KUBECONFIG=", "CAUSEWAY_STATE_DIR="+filepath.Join(f.dir, "state"), "CAUSEWAY_KUBE="+kubeBinary(f.t))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.t.Fatal(err)
	}
	return result{code: cmd.ProcessState.ExitCode(), out: out.String(), errors: errs.String()}
}

func kubeBinary(t *testing.T) string {
	t.Helper()
	path, err := embedded.FindBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// must runs a command that has to succeed and to print something.
func (f tiny) must(want string, args ...string) {
	f.t.Helper()
	got := f.run(args...)
	if got.code != 0 || !strings.Contains(got.out+got.errors, want) {
		f.t.Fatalf("causeway %s: code %d, and %q is not in\n%s\n%s\nlog:\n%s", strings.Join(args, " "), got.code, want, got.out, got.errors,
			command.Tail(filepath.Join(f.dir, "state/tiny/up.log"), 40))
	}
}

// soon is must for what gives a cluster only seconds to answer, which a busy machine may need for something else.
func (f tiny) soon(want string, args ...string) {
	f.t.Helper()
	embeddedtest.Eventually(f.t, func(context.Context) error {
		if got := f.run(args...); got.code != 0 || !strings.Contains(got.out+got.errors, want) {
			return fmt.Errorf("causeway %s: code %d, and %q is not in\n%s\n%s", strings.Join(args, " "), got.code, want, got.out, got.errors)
		}
		return nil
	})
}

func (f tiny) client(cluster string) kubernetes.Interface {
	f.t.Helper()
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: filepath.Join(f.dir, "state/tiny/kubeconfig")}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: cluster}).ClientConfig()
	if err != nil {
		f.t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		f.t.Fatal(err)
	}
	return client
}

func (f tiny) settings(ctx context.Context) (*corev1.ConfigMap, error) {
	return f.client("dev").CoreV1().ConfigMaps("shop").Get(ctx, "settings", metav1.GetOptions{})
}

// awaitGreeting waits until what a file says is live on the spoke.
func (f tiny) awaitGreeting(want string) types.UID {
	f.t.Helper()
	var uid types.UID
	embeddedtest.Eventually(f.t, func(ctx context.Context) error {
		live, err := f.settings(ctx)
		if err != nil {
			return err
		}
		uid = live.UID
		if got := live.Data["greeting"]; got != want {
			return fmt.Errorf("the greeting is %q, not %q", got, want)
		}
		return nil
	})
	return uid
}

// awaitLabels waits until the Secret of the spoke bears labels.
func (f tiny) awaitLabels(want map[string]string) {
	f.t.Helper()
	embeddedtest.Eventually(f.t, func(ctx context.Context) error {
		secret, err := f.client("hub").CoreV1().Secrets("argocd").Get(ctx, "dev", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for key, value := range want {
			if got := secret.Labels[key]; got != value {
				return fmt.Errorf("label %s is %q, not %q", key, got, value)
			}
		}
		return nil
	})
}

// TestFleet goes through the life of a local fleet as a person would.
func TestFleet(t *testing.T) {
	f := newTiny(t)
	f.write("boot/kettle.yaml", tinyDefinition)
	f.must("1 application on 2 clusters Synced and Healthy", "up", "--file", "fleet.yaml", "--detach", "--timeout", await.Limit.String())
	uid := f.awaitGreeting("hello")
	if got := f.run("up", "--file", "fleet.yaml"); got.code != command.ExitFailed || !strings.Contains(got.errors, "running already") {
		t.Errorf("a second start while it runs: %+v", got)
	}
	f.look()
	f.aDay(t)

	f.write("repo/settings.yaml", settings("welcome"))
	f.awaitGreeting("welcome")

	f.killSpoke("dev")
	f.write("repo/settings.yaml", settings("back"))
	if again := f.awaitGreeting("back"); again != uid {
		t.Error("the spoke did not come back with its data")
	}

	patch := []byte(`{"metadata":{"labels":{"enable_x":"true"}}}`)
	if _, err := f.client("hub").CoreV1().Secrets("argocd").Patch(t.Context(), "dev", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	f.write("dev.yaml", devSecret("two"))
	f.awaitLabels(map[string]string{"enable_x": "true", "tier": "two", "environment": "dev"})

	f.must("fleet tiny is stopped", "down")
	f.must("not running", "down")
	if got := f.run("get", "apps", "--kubeconfig", filepath.Join(f.dir, "state/tiny/kubeconfig")); got.code != command.ExitFailed || !strings.Contains(got.errors, "fleet tiny is not running") {
		t.Errorf("its kubeconfig while it is stopped: %+v", got)
	}
	if got := f.run("get", "apps"); got.code != command.ExitFailed || !strings.Contains(got.errors, "causeway up") {
		t.Errorf("looking at what is stopped: %+v", got)
	}

	f.write("repo/settings.yaml", settings("again"))
	f.must("Look around.", "up", "--file", "fleet.yaml", "--detach")
	f.awaitLabels(map[string]string{"enable_x": "true", "tier": "two"})
	if again := f.awaitGreeting("again"); again != uid {
		t.Error("the second start did not find the state of the first")
	}
	f.must("the state of fleet tiny is removed", "down", "--delete")
	if _, err := os.Stat(filepath.Join(f.dir, "state/tiny")); !os.IsNotExist(err) {
		t.Errorf("the state is still there: %v", err)
	}
}

// killSpoke ends a control plane the hard way, as the kernel does when memory
// is short, and waits until the fleet has started it again.
func (f tiny) killSpoke(name string) {
	f.t.Helper()
	ready := f.readyAt(name)
	pid := f.controlPlane(name)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		f.t.Fatal(err)
	}
	embeddedtest.Eventually(f.t, func(context.Context) error {
		if now := f.readyAt(name); now.IsZero() || now.Equal(ready) {
			return fmt.Errorf("cluster %s has not come back", name)
		}
		return nil
	})
}

// readyAt is when a cluster that is ready was started.
func (f tiny) readyAt(name string) time.Time {
	s, err := fleetstatus.Read(filepath.Join(f.dir, "state/tiny/progress.json"))
	if err != nil {
		return time.Time{}
	}
	for _, c := range s.Clusters {
		if c.Name == name && c.State == fleetstatus.Ready && c.Error == "" {
			return c.Since
		}
	}
	return time.Time{}
}

// controlPlane finds the process that runs a cluster of this very fleet.
func (f tiny) controlPlane(name string) int {
	f.t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		f.t.Fatal(err)
	}
	wanted := "--data-dir=" + filepath.Join(f.dir, "state/tiny/clusters", name)
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		if slices.Contains(strings.Split(string(text), "\x00"), wanted) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				f.t.Fatal(err)
			}
			return pid
		}
	}
	f.t.Fatalf("no process runs cluster %s", name)
	return 0
}

// look runs the commands that read.
func (f tiny) look() {
	f.t.Helper()
	f.must("shop  dev", "get", "apps")
	f.must("application.argoproj.io/shop", "get", "apps", "-o", "name", "--project", "default")
	f.soon("shop", "__complete", "tree", "")
	f.soon("dev   dev          reachable", "get", "clusters")
	f.must("https://git.example.com/shop", "get", "repos")
	f.must("ConfigMap shop/settings", "tree", "shop")
	f.must("no differences", "diff", "shop")
	f.must("greeting: hello", "render", "shop")
	f.must("1 object synced", "sync", "shop", "--wait")
	if got := f.run("sync", "shop", "--resource", ":ConfigMap:nothing"); got.code != command.ExitFailed || !strings.Contains(got.errors, "the application has no /ConfigMap:/nothing") {
		f.t.Errorf("a sync of nothing: %+v", got)
	}
	f.write("local/more.yaml", strings.ReplaceAll(settings("local"), "settings", "more")+"---\n"+settings("local"))
	f.must("2 objects tried", "sync", "shop", "--local", "local", "--dry-run")
	if got := f.run("sync", "shop", "--local", "local"); got.code != command.ExitFailed || !strings.Contains(got.errors, "automated sync is on") {
		f.t.Errorf("what is local would be undone at once: %+v", got)
	}
	f.must("1 object synced", "sync", "shop", "--wait")
	if got := f.run("terminate", "shop"); got.code != command.ExitFailed || !strings.Contains(got.errors, "busy with nothing") {
		f.t.Errorf("there is nothing to end: %+v", got)
	}
	f.soon("cluster dev", "doctor")
	f.must("cluster answers", "logs", "--engine")
	f.write("app.yaml", tinyApplication)
	f.must("greeting: hello", "render", "--file", "app.yaml", "--mirror", "https://git.example.com/shop=repo")
	got := f.run("tree", "shp")
	if got.code != command.ExitFailed || !strings.Contains(got.errors, `did you mean "shop"`) {
		f.t.Errorf("an unknown application: %+v", got)
	}
}

// TestAFleetThatIsNotWell holds a fleet whose repository lacks something.
func TestAFleetThatIsNotWell(t *testing.T) {
	f := newTiny(t)
	f.write("fleet.yaml", strings.Replace(tinyFleet, "    - {name: dev, secret: dev.yaml}\n", "", 1))
	f.write("boot/shop.yaml", strings.NewReplacer("path: .", "path: gone", "name: dev", "name: hub").Replace(tinyApplication))
	got := f.run("up", "--file", "fleet.yaml", "--detach", "--timeout", "1s")
	if got.code != command.ExitFailed || !strings.Contains(got.errors, "not everything was Synced and Healthy within 1s") || !strings.Contains(got.errors, "in the background") {
		t.Fatalf("it goes on, and says so: %+v", got)
	}
	f.awaitApp("shop", func(a fleetstatus.App) bool { return strings.Contains(a.Problem, "gone") })
	if got := f.run("doctor"); got.code != command.ExitFailed || !strings.Contains(got.out, "fail  application shop") {
		t.Errorf("doctor says %+v", got)
	}
	f.write("repo/gone/settings.yaml", settings("here"))
	f.awaitApp("shop", fleetstatus.App.Good)
	f.must("Synced  Healthy", "get", "app", "shop")
	password := f.signInFile().Password
	f.must("is stopped", "down")
	if err := os.RemoveAll(filepath.Join(f.dir, "repo/gone")); err != nil {
		t.Fatal(err)
	}
	f.comesBackUnwell(password)
}

// awaitApp waits for an application, as the running fleet sees it.
func (f tiny) awaitApp(name string, well func(fleetstatus.App) bool) {
	f.t.Helper()
	embeddedtest.Eventually(f.t, func(context.Context) error {
		s, err := fleetstatus.Read(filepath.Join(f.dir, "state/tiny/progress.json"))
		if err != nil {
			return err
		}
		if s.Failure != "" {
			f.t.Fatalf("the fleet ended: %s", s.Failure)
		}
		for _, a := range s.Apps {
			if a.Name == name && well(a) {
				return nil
			}
		}
		return fmt.Errorf("step %q, applications %+v", s.Step, s.Apps)
	})
}
