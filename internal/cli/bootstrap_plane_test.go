package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
)

const (
	bootRepo = "https://git.example.com/team/fleet"
)

// bootPlane is an empty cluster that a bootstrap starts with, and the folder
// that stands for the repository.
type bootPlane struct {
	client.Client

	t      *testing.T
	config *rest.Config
	// kubeconfig is that of the account installer, which may do everything.
	kubeconfig, audit, folder string
}

func newBootPlane(t *testing.T) *bootPlane {
	t.Helper()
	p := &bootPlane{t: t, audit: filepath.Join(t.TempDir(), "audit.log"), folder: t.TempDir()}
	p.config = embeddedtest.Config(t, embeddedtest.Start(t, embedded.Options{AuditLog: p.audit}))
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme))
	if err == nil {
		p.Client, err = client.New(p.config, client.Options{Scheme: scheme})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.kubeconfig = p.account("installer", "cluster-admin")
	return p
}

// account makes a service account with a role, and returns its kubeconfig.
func (p *bootPlane) account(name, role string) string {
	p.t.Helper()
	p.create(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}})
	p.create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: name}},
	})
	return kubeconfigOf(p.t, p.Client, p.config, "default", name)
}

func (p *bootPlane) create(o client.Object) {
	p.t.Helper()
	if err := p.Create(p.t.Context(), o); err != nil {
		p.t.Fatalf("%s: %v", o.GetName(), err)
	}
}

func (p *bootPlane) get(name string, o client.Object) {
	p.t.Helper()
	if err := p.Get(p.t.Context(), client.ObjectKey{Namespace: "argocd", Name: name}, o); err != nil {
		p.t.Fatal(err)
	}
}

func (p *bootPlane) args(args ...string) []string {
	return append([]string{"bootstrap", "--kubeconfig", p.kubeconfig, "--repo", bootRepo, "--mirror", bootRepo + "=" + p.folder, "--timeout", await.Limit.String()}, args...)
}

// run is the command against the plane.
func (p *bootPlane) run(args ...string) result {
	p.t.Helper()
	return invoke(p.t, p.args(args...)...)
}

// writes are the requests of accounts of the test so far that changed something.
func (p *bootPlane) writes() []string {
	p.t.Helper()
	f, err := os.Open(p.audit)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct {
			Verb       string                    `json:"verb"`
			RequestURI string                    `json:"requestURI"`
			User       struct{ Username string } `json:"user"`
			ObjectRef  struct{ Resource string } `json:"objectRef"`
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil || !strings.HasPrefix(event.User.Username, "system:serviceaccount:default:") {
			continue
		}
		reads := []string{"get", "list", "watch"}
		if slices.Contains(reads, event.Verb) || strings.Contains(event.RequestURI, "dryRun=All") || event.ObjectRef.Resource == "selfsubjectaccessreviews" {
			continue
		}
		out = append(out, event.Verb+" "+event.RequestURI)
	}
	if err := lines.Err(); err != nil {
		p.t.Fatal(err)
	}
	return out
}

// hosted runs an engine in this process, with the rights of the chart's
// account alone, once the Deployment's Pods would do so.
func (p *bootPlane) hosted() {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	done := make(chan error, 1)
	go func() { done <- p.engine(ctx) }() // waited for when the test ends
	p.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			p.t.Errorf("the engine ended: %v", err)
		}
	})
}

func (p *bootPlane) engine(ctx context.Context) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for d := (&appsv1.Deployment{}); d.Status.ReadyReplicas == 0; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			_ = p.Get(ctx, client.ObjectKey{Namespace: "argocd", Name: "causeway"}, d) // it is not there yet
		}
	}
	return app.Run(ctx, app.Config{
		Hub: accountOf(p.t, p.Client, p.config, "argocd", "causeway"), Namespace: "argocd", CacheDir: p.t.TempDir(), LocalInterval: 50 * time.Millisecond, LeaderElection: true, Lease: await.Limit, StopWithin: await.Limit,
		Mirrors: []source.Mirror{{URL: bootRepo, Path: p.folder}},
		Log:     slog.New(slog.NewTextHandler(p.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}
