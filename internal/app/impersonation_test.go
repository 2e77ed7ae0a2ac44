package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// writes records as whom objects of a kind were written.
type writes struct {
	mu    sync.Mutex
	users map[string]int
}

func (w *writes) wrap(next http.RoundTripper) http.RoundTripper {
	return trip(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet && (strings.Contains(r.URL.Path, "/configmaps") || strings.Contains(r.URL.Path, "/secrets/")) {
			w.mu.Lock()
			w.users[r.Header.Get("Impersonate-User")]++
			w.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

func (w *writes) by(user string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.users[user]
}

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// startActing runs an engine that writes as service accounts.
func startActing(t *testing.T, files map[string]string) (*engine, *writes) {
	t.Helper()
	w := &writes{users: map[string]int{}}
	cfg := rest.CopyConfig(hubConfig)
	cfg.Wrap(w.wrap)
	e := prepare(t, hubConfig, files)
	e.hub = cfg
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{"application.sync.impersonation.enabled": "true"}})
	e.restart()
	return e, w
}

// make creates an object in the test's namespace.
func (e *engine) make(o client.Object) { e.t.Helper(); e.bench.Make(o) }

// deployer makes a service account that may do anything with ConfigMaps.
func (e *engine) deployer() (user string) {
	e.t.Helper()
	e.make(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "deployer"}})
	e.make(&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "deployer"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"*"}}}})
	e.make(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "deployer"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "deployer"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: e.namespace, Name: "deployer"}},
	})
	return "system:serviceaccount:" + e.namespace + ":deployer"
}

// project makes an AppProject that permits everything but what change takes.
func (e *engine) project(name string, change func(*v1alpha1.AppProjectSpec)) *v1alpha1.AppProject {
	e.t.Helper()
	p := policy.DefaultProject(e.namespace)
	p.Name = name
	change(&p.Spec)
	if err := e.Create(e.t.Context(), p); err != nil {
		e.t.Fatal(err)
	}
	return p
}

// amend changes an AppProject.
func (e *engine) amend(p *v1alpha1.AppProject, change func(*v1alpha1.AppProjectSpec)) {
	e.t.Helper()
	before := p.DeepCopy()
	change(&p.Spec)
	if err := e.Patch(e.t.Context(), p, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

func in(project string) func(*v1alpha1.Application) {
	return func(app *v1alpha1.Application) { app.Spec.Project = project }
}

// ended reports whether the operation ended in a phase, with words in its message.
func ended(phase v1alpha1.OperationPhase, words ...string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return st != nil && st.Phase == phase && containsAll(st.Message, words)
	}
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func accounts(name string) []v1alpha1.ApplicationDestinationServiceAccount {
	return []v1alpha1.ApplicationDestinationServiceAccount{{Server: "https://kubernetes.default.svc", Namespace: "*", DefaultServiceAccount: name}}
}

func TestSyncActsAsTheProjectsAccount(t *testing.T) {
	e, wrote := startActing(t, map[string]string{"plain/a.yaml": configMapV1})
	user := e.deployer()
	e.project("team", func(s *v1alpha1.AppProjectSpec) { s.DestinationServiceAccounts = accounts("deployer") })
	e.app("plain", "plain", in("team"))
	e.until("plain", "Synced and Healthy", good)
	before := wrote.by("")
	e.write("plain/a.yaml", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: "2"}}`)
	e.untilVersion("settings", "2")
	app := e.until("plain", "Synced again", good)

	// What the account may not write is told, and not written by the engine itself.
	e.write("plain/secret.yaml", `{apiVersion: v1, kind: Secret, metadata: {name: token}, stringData: {a: b}}`)
	e.until("plain", "refused", func(app *v1alpha1.Application) bool {
		st := app.Status.OperationState
		return containsAll(st.Message, []string{"Secret", "service account " + e.namespace + "/deployer", "patch secrets"}) && st.RetryCount > 0
	})
	if err := e.Get(t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "token"}, &corev1.Secret{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the Secret was written although the account may not: %v", err)
	}
	e.remove("plain/secret.yaml")
	e.until("plain", "good without the Secret", good)

	// Deletion acts as the account, too.
	if err := e.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	e.untilDeleted("plain")
	if wrote.by(user) == 0 || wrote.by("") != before {
		t.Errorf("%d writes as the account and %d as the engine", wrote.by(user), wrote.by("")-before)
	}
}

func TestSyncWithoutAnAccountIsRefusedUntilTheProjectNamesOne(t *testing.T) {
	e, wrote := startActing(t, map[string]string{"plain/a.yaml": configMapV1})
	e.deployer()
	team := e.project("team", func(s *v1alpha1.AppProjectSpec) {
		s.DestinationServiceAccounts = []v1alpha1.ApplicationDestinationServiceAccount{{Server: "https://elsewhere.example.com", DefaultServiceAccount: "deployer"}}
	})
	e.app("plain", "plain", in("team"))
	e.until("plain", "refused", ended(v1alpha1.OperationError, `"team" names no service account`, "spec.destinationServiceAccounts"))
	if n := wrote.by(""); n != 0 {
		t.Errorf("the engine wrote %d times as itself", n)
	}
	e.amend(team, func(s *v1alpha1.AppProjectSpec) { s.DestinationServiceAccounts = accounts("deployer") })
	e.until("plain", "good once the project names an account", good)
}

// untilDeleted waits until an Application has gone with all it had.
func (e *engine) untilDeleted(name string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		app := &v1alpha1.Application{}
		err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: e.id(name)}, app)
		if err == nil {
			return fmt.Errorf("application %s is still there: %v", name, app.Status.Conditions)
		}
		return client.IgnoreNotFound(err)
	})
}
