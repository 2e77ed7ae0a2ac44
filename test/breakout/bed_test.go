package breakout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/test/await"
)

// The namespaces: of the engine, and of what each team deploys and writes Applications in.
const (
	control        = "argocd"
	redNS, redApps = "red", "red-apps"
	blueNS         = "blue"
	blueApps       = "blue-apps"
	engineUser     = "system:serviceaccount:argocd:causeway"
	redAccount     = "system:serviceaccount:red:deployer"
	blueAccount    = "system:serviceaccount:blue:deployer"
	bluesCluster   = "system:serviceaccount:argocd:blues-cluster"
	inCluster      = "https://kubernetes.default.svc"
	bluesPassword  = "of-blue-alone"
)

// bed is a control plane with one engine, the two teams' repositories, and the victim that all attempts have in common.
type bed struct {
	client.Client

	t         *testing.T
	hub       *rest.Config
	engine    *rest.Config // with the engine's own account
	red, blue *host
	log       log
	trap, ran string          // a program that nobody may run, and what it leaves
	usual     map[string]bool // what is read with nobody attacking
	open      map[string]bool // what is asked of blue's server as everybody may
	itself    bool            // the engine acts as nobody else
	stop      func()
}

// newBed starts all of it, and waits until the victim is well.
func newBed(t *testing.T, files map[string]string) *bed {
	t.Helper()
	audit := filepath.Join(t.TempDir(), "audit.log")
	cluster := embeddedtest.Start(t, embedded.Options{Name: "breakout", AuditLog: audit})
	b := &bed{t: t, hub: embeddedtest.Config(t, cluster), red: newHost(t, "red", ""), blue: newHost(t, "blue", bluesPassword), log: log{path: audit}, usual: map[string]bool{}, open: map[string]bool{}}
	b.trap, b.ran = setTrap(t, t.TempDir())
	b.hub.WarningHandler = rest.NoWarnings{}
	embeddedtest.Eventually(t, func(ctx context.Context) error { return install.Definitions(ctx, b.hub) })
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, causeway.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if b.Client, err = client.New(b.hub, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	b.make(t, platform)
	b.make(t, b.fill(team("red", b.red)))
	b.make(t, b.fill(team("blue", b.blue)))
	b.make(t, b.fill(b.private()))
	b.red.commit(t, b.filled(files))
	b.blue.commit(t, map[string]string{"shop/all.yaml": shop, "till/all.yaml": simple("till"), "stand/all.yaml": simple("stand")})
	b.engine = b.account("causeway")
	b.run()
	b.settle()
	return b
}

// make creates the objects of a text.
func (b *bed) make(t *testing.T, text string) {
	t.Helper()
	for part := range strings.SplitSeq(text, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(part), &o.Object); err != nil {
			t.Fatalf("%v in\n%s", err, part)
		}
		if err := b.Create(t.Context(), o); err != nil {
			t.Fatalf("cannot create %s %s/%s: %v", o.GetKind(), o.GetNamespace(), o.GetName(), err)
		}
	}
}

// fill puts in addresses that are known when servers run, and the trap.
func (b *bed) fill(text string) string {
	port := b.blue.URL[strings.LastIndexByte(b.blue.URL, ':')+1:]
	return strings.NewReplacer("$RED", b.red.URL, "$BLUE", b.blue.URL, "$PORT", port, "$HUB", b.hub.Host, "$TRAP", b.trap).Replace(text)
}

func (b *bed) filled(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[name] = b.fill(text)
	}
	return out
}

// account is the hub with a service account of the control namespace.
func (b *bed) account(name string) *rest.Config {
	b.t.Helper()
	cfg := rest.AnonymousClientConfig(b.hub)
	cfg.BearerToken = b.token(control, name)
	return cfg
}

func (b *bed) token(namespace, name string) string {
	b.t.Helper()
	clients := kubernetes.NewForConfigOrDie(b.hub)
	hours := int64(4 * time.Hour / time.Second)
	asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &hours}}
	got, err := clients.CoreV1().ServiceAccounts(namespace).CreateToken(b.t.Context(), name, asked, metav1.CreateOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return got.Status.Token
}

// run starts the engine in this process.
func (b *bed) run() {
	b.t.Helper()
	level := slog.LevelError
	if os.Getenv("CAUSEWAY_BREAKOUT_LOG") != "" {
		level = slog.LevelInfo
	}
	engine, err := app.New(app.Config{
		Hub: b.engine, Namespace: control, ApplicationNamespaces: []string{redApps, blueApps}, CacheDir: b.t.TempDir(), Interval: time.Hour,
		StopWithin: await.Limit, Pauses: app.Pauses{Refused: time.Second, Deletion: time.Second, Lacking: time.Second},
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.t.Context()))
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	b.stop = func() {
		if ctx.Err() != nil {
			return
		}
		cancel()
		if err := <-done; err != nil {
			b.t.Errorf("the engine ended: %v", err)
		}
	}
	b.t.Cleanup(b.stop)
}

// settle has the victim deployed and red deploy something harmless, and remembers what the engine reads meanwhile.
func (b *bed) settle() {
	b.t.Helper()
	b.make(b.t, b.fill(victim))
	b.syncs(b.t)
	b.opens(b.t)
	for range 2 {
		b.honest(b.t)
	}
	b.syncs(b.t)
	for _, r := range b.requests(b.t) {
		if ours(r) && (r.reads() || r.Object.Namespace == control) {
			b.usual[r.String()] = true
		}
	}
	b.blue.take()
}

// honest has red deploy something harmless.
func (b *bed) honest(t *testing.T) {
	t.Helper()
	s := &stage{bed: b, t: t, name: "honest"}
	s.create()
	s.untilDone()
	s.remove()
}

// actsForItself has the engine act as nobody else from now on, and waits until what it writes for red shows that it does.
func (b *bed) actsForItself(t *testing.T) {
	t.Helper()
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: control}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data": {"application.sync.impersonation.enabled": "false"}}`))
	if err := b.Patch(t.Context(), settings, patch); err != nil {
		t.Fatal(err)
	}
	b.itself = true
	embeddedtest.Eventually(t, func(context.Context) error {
		b.requests(t)
		b.honest(t)
		for _, r := range b.requests(t) {
			if ours(r) && !r.reads() && r.Object.Namespace == redNS && r.Object.Resource == "configmaps" && r.As.Username == "" {
				return nil
			}
		}
		return errors.New("the engine still acts as red's account")
	})
	b.syncs(t)
	b.blue.take()
}

// requests are those since the last time.
func (b *bed) requests(t *testing.T) []request {
	t.Helper()
	return b.log.since(t, func(ctx context.Context, name string) {
		o := &metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("ConfigMap"))
		o.APIVersion = "v1"
		_ = b.Get(ctx, client.ObjectKey{Namespace: control, Name: name}, o) // that there is none is no matter
	})
}

// until waits for a condition on an Application.
func (b *bed) until(t *testing.T, key client.ObjectKey, what string, ok func(*v1alpha1.Application) bool) *v1alpha1.Application {
	t.Helper()
	a := &v1alpha1.Application{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		*a = v1alpha1.Application{}
		if err := b.Get(ctx, key, a); err != nil {
			return err
		}
		if !ok(a) {
			return fmt.Errorf("application %s is not %s: sync %q, health %q; it says: %s", key, what, a.Status.Sync.Status, a.Status.Health.Status, said(a))
		}
		return nil
	})
	return a
}

// said is all that an Application says.
func said(a *v1alpha1.Application) string {
	var out strings.Builder
	for _, c := range a.Status.Conditions {
		fmt.Fprintf(&out, "%s: %s\n", c.Type, c.Message)
	}
	if st := a.Status.OperationState; st != nil {
		fmt.Fprintf(&out, "%s: %s\n", st.Phase, st.Message)
		for _, i := range st.Operation.Info {
			fmt.Fprintf(&out, "%s=%s\n", i.Name, i.Value)
		}
		if st.SyncResult != nil {
			for _, r := range st.SyncResult.Resources {
				fmt.Fprintf(&out, "%s %s/%s: %s %s %s\n", r.Kind, r.Namespace, r.Name, r.Status, r.HookPhase, r.Message)
			}
		}
	}
	return out.String()
}
