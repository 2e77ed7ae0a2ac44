package faults

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/subject"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

const (
	control  = "argocd"
	repoBase = "https://git.example.com"
	// suite is the user agent of everything that the suite does itself.
	suite = "fault-suite"
	// engineUser is whom the API server takes the engine for: the proxy
	// impersonates it, so that the audit log tells its requests from others.
	engineUser = "causeway-engine"
)

// world is a control plane, a proxy before it, and an engine behind that.
type world struct {
	t        *testing.T
	cluster  *embedded.Cluster
	direct   *rest.Config
	clients  *kubernetes.Clientset
	dynamic  dynamic.Interface
	proxy    *proxy.Proxy
	recorder *witness.Recorder
	engine   *subject.Engine
	dir      string // repositories are folders below
	audit    string
	shared   *proxy.Schedule // of requests that belong to no seed
	fuse     *fuse           // nil: nobody kills the control plane

	mu        sync.Mutex
	schedules map[string]*proxy.Schedule // by the scene's namespace
}

// newWorld starts everything but the engine.
func newWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, dir: filepath.Join(base, "git"), audit: filepath.Join(base, "audit.log"), schedules: map[string]*proxy.Schedule{}}
	w.startCluster(embedded.Options{Name: "faults", DataDir: filepath.Join(base, "cluster"), AuditLog: w.audit})
	t.Cleanup(func() { _ = w.cluster.Stop() })
	w.direct = embeddedtest.Config(t, w.cluster)
	w.direct.UserAgent, w.direct.WarningHandler = suite, rest.NoWarnings{}
	embeddedtest.Eventually(t, func(ctx context.Context) error { return install.Definitions(ctx, w.direct) })
	w.clients, w.dynamic = kubernetes.NewForConfigOrDie(w.direct), dynamic.NewForConfigOrDie(w.direct)
	w.namespace(control)
	if err := os.MkdirAll(w.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	w.startProxy()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var err error
	if w.recorder, err = witness.NewRecorder(ctx, w.direct, control); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		w.recorder.Wait()
	})
	return w
}

func (w *world) startCluster(o embedded.Options) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), await.Limit)
	defer cancel()
	o.ReadyWithin, o.StopWithin = await.Limit, await.Limit
	var err error
	if w.cluster, err = embedded.Start(ctx, o); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) startProxy() {
	upstream := rest.CopyConfig(w.direct)
	upstream.Impersonate = rest.ImpersonationConfig{UserName: engineUser, Groups: []string{"system:masters"}}
	var err error
	if w.proxy, err = proxy.Start(proxy.Options{Upstream: upstream, Schedule: w.schedule, Observe: w.observe}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(w.proxy.Close)
}

// schedule finds the seed that a request belongs to: by the name of a
// namespace, an Application or a group in its path.
func (w *world) schedule(r *http.Request) *proxy.Schedule {
	found := w.scheduleOf(r.URL.Path)
	if found == nil {
		return w.shared
	}
	w.fuse.request(r)
	return found
}

// observe counts the writes that scenes have got.
func (w *world) observe(written proxy.Written) {
	if w.scheduleOf(written.Path) != nil {
		w.fuse.answer(written)
	}
}

func (w *world) scheduleOf(path string) *proxy.Schedule {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range strings.SplitSeq(path, "/") {
		name, _, _ := strings.Cut(s, ".")
		if found := w.schedules[witness.SceneOf(name)]; found != nil {
			return found
		}
	}
	return nil
}

func (w *world) setSchedule(namespace string, s *proxy.Schedule) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.schedules[namespace] = s
}

// startEngine starts the engine behind the proxy.
func (w *world) startEngine(args ...string) *subject.Engine {
	w.t.Helper()
	w.engine = w.newEngine("engine", args...)
	return w.engine
}

func (w *world) newEngine(name string, args ...string) *subject.Engine {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	e, err := subject.Start(subject.Options{
		Command: []string{self, "run"}, Env: []string{asEngine + "=1"}, Hub: w.proxy.Config(), Dir: filepath.Join(w.dir, "..", name),
		Args: append([]string{"--namespace", control, "--local-interval", "150ms", "--mirror", repoBase + "/=" + w.dir, "--log-level", cmp.Or(os.Getenv("CAUSEWAY_FAULTS_LOG"), "info")}, args...),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		e.Halt()
		if w.t.Failed() {
			keepLog(w.t, e)
		}
	})
	return e
}

// keepLog saves what the engine said: the folder of the test goes away.
func keepLog(t *testing.T, e *subject.Engine) {
	t.Helper()
	path, err := saved(e.LogFile(), keptLogs, t.Name())
	if err != nil {
		t.Logf("the engine's log is lost: %v", err)
		return
	}
	t.Logf("the engine's log: %s", path)
}

// keptLogs is beside the logs of the suite. The temporary folder is no place for them: it ends with the tests.
const keptLogs = "../../bin/suite/faults"

// saved is where a log of a test is from now on, below a folder. Who tries again has another file.
func saved(log, folder, test string) (string, error) {
	data, err := os.ReadFile(log)
	if err != nil {
		return "", err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", err
	}
	name := strings.ReplaceAll(test, "/", "-") + "-" + filepath.Base(filepath.Dir(log)) + "-" + strconv.Itoa(os.Getpid()) + ".log"
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, data, 0o600)
}

func (w *world) namespace(name string) {
	w.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := w.clients.CoreV1().Namespaces().Create(w.t.Context(), ns, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}
