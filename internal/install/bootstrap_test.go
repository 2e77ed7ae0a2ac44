package install

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

var config *rest.Config

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &config)) }

const fleetURL = "https://git.example.com/platform/fleet"

// site is a control namespace that is bootstrapped, by whom the config is of.
type site struct {
	t         *testing.T
	namespace string
	client    client.Client
	options   Options
	said      []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, namespace: embeddedtest.Namespace(t, config)}
	s.options = Options{
		Hub: config, Unfetched: true, Engine: bootstrap.Engine{Namespace: s.namespace},
		Repository: bootstrap.Repository{Namespace: s.namespace, URL: fleetURL, Keys: map[string]access.Secret{"username": "robot", "password": "hush"}},
		Member:     bootstrap.Hub{Namespace: s.namespace, Name: "hub", URL: fleetURL, Revision: "main", Roots: []string{"addons"}},
		Say:        func(format string, args ...any) { s.said = append(s.said, fmt.Sprintf(format, args...)) },
		Progress:   func(string, int, int) {},
	}
	scheme, err := hub.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if s.client, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	return s
}

// plan is what a bootstrap would do.
func (s *site) plan() (*Bootstrap, *Plan, error) {
	s.t.Helper()
	b, err := NewBootstrap(s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := b.Plan(s.t.Context())
	return b, p, err
}

// bootstrap plans, and writes what is planned.
func (s *site) bootstrap() *Plan {
	s.t.Helper()
	b, p, err := s.plan()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := b.Apply(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// made writes objects as somebody else does.
func (s *site) made(by string, objects ...client.Object) {
	s.t.Helper()
	for _, o := range objects {
		o.SetNamespace(s.namespace)
		if err := s.client.Create(s.t.Context(), o, client.FieldOwner(by)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *site) get(o client.Object, name string) error {
	return s.client.Get(s.t.Context(), client.ObjectKey{Namespace: s.namespace, Name: name}, o)
}

// refuses plans what stands in the way of, and holds that nothing was written.
func (s *site) refuses(texts ...string) {
	s.t.Helper()
	_, _, err := s.plan()
	if err == nil {
		s.t.Fatal("nothing stands in its way")
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			s.t.Errorf("the error does not say %q: %v", text, err)
		}
	}
	if err := s.get(&corev1.Secret{}, "hub"); !apierrors.IsNotFound(err) {
		s.t.Errorf("the hub was described all the same: %v", err)
	}
}

func changesOf(p *Plan) (out []string) {
	for _, c := range p.Changes() {
		out = append(out, fmt.Sprint(c.Verb, " ", c.Key.Kind, "/", c.Key.Name))
	}
	return out
}

// TestBootstrapTwice: all is written once; what is as it should be is sent no more, and
// what differs is said without its secrets.
func TestBootstrapTwice(t *testing.T) {
	s := newSite(t)
	first := changesOf(s.bootstrap())
	for _, want := range []string{"create Deployment/causeway", "create Secret/hub", "create ApplicationSet/addons"} {
		if !slices.Contains(first, want) {
			t.Errorf("it does not %s: %s", want, first)
		}
	}
	if !slices.ContainsFunc(s.said, func(line string) bool { return strings.HasPrefix(line, "created Deployment") }) {
		t.Errorf("it tells of no Deployment: %s", s.said)
	}
	_, again, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	if left := changesOf(again); len(left) > 0 || again.Same() < len(first) {
		t.Errorf("%d objects are as they should be, and it would %s", again.Same(), left)
	}

	s.options.Member.Metadata.Labels = map[string]string{"environment": "control"}
	s.options.Repository.Keys["password"] = "other"
	b, p, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	var texts strings.Builder
	for _, c := range p.Changes() {
		fmt.Fprintln(&texts, c.Verb, c.Key, c.Diff)
	}
	if !strings.Contains(texts.String(), "environment") || strings.Contains(texts.String(), "hush") || strings.Contains(texts.String(), "other") {
		t.Errorf("what would change: %s", texts.String())
	}
	if err := b.Apply(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	hub := &corev1.Secret{}
	if err := s.get(hub, "hub"); err != nil || hub.Labels["environment"] != "control" {
		t.Errorf("the hub has the labels %v: %v", hub.Labels, err)
	}
}

// TestBootstrapWritesNothingOver: an object of somebody else stands in the way, and all
// of them are named at once.
func TestBootstrapWritesNothingOver(t *testing.T) {
	s := newSite(t)
	s.made("kubectl", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "causeway", Labels: map[string]string{"of": "somebody"}}})
	root := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "addons"}}
	root.SetGroupVersionKind(v1alpha1.ApplicationGVK)
	root.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: fleetURL, Path: "addons"}
	s.made("terraform", root)
	s.refuses("nothing was written", "ServiceAccount", "which kubectl made", "which terraform made", "--roots")
}

// TestBootstrapTakesItsOwnRoot: an Application that the root's set made is the root.
func TestBootstrapTakesItsOwnRoot(t *testing.T) {
	s := newSite(t)
	s.bootstrap()
	set := &v1alpha1.ApplicationSet{}
	if err := s.get(set, "addons"); err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "addons", OwnerReferences: []metav1.OwnerReference{
		*metav1.NewControllerRef(set, v1alpha1.ApplicationSetGVK),
	}}}
	app.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: fleetURL, Path: "addons"}
	s.made("causeway", app)
	if _, p, err := s.plan(); err != nil || len(p.Changes()) > 0 {
		t.Errorf("the root stands in its own way: %v", err)
	}
}

// TestBootstrapTakesBack: what the values asked for and ask for no more goes; what
// another one made, with the very labels, stays.
func TestBootstrapTakesBack(t *testing.T) {
	s := newSite(t)
	s.options.Engine.Set = []string{"networkPolicy.enabled=true"}
	s.bootstrap()
	policies := &networkingv1.NetworkPolicyList{}
	if err := s.client.List(t.Context(), policies, client.InNamespace(s.namespace)); err != nil || len(policies.Items) == 0 {
		t.Fatalf("there is no policy to take back: %v", err)
	}
	theirs := policies.Items[0].DeepCopy()
	theirs.ObjectMeta = metav1.ObjectMeta{Name: "theirs", Labels: theirs.Labels}
	s.made("kubectl", theirs)

	s.options.Engine.Set = []string{"networkPolicy.enabled=false"}
	p := s.bootstrap()
	if got := changesOf(p); len(got) != len(policies.Items) || !strings.HasPrefix(got[0], "prune NetworkPolicy/") {
		t.Errorf("it would %s", got)
	}
	if err := s.client.List(t.Context(), policies, client.InNamespace(s.namespace)); err != nil || len(policies.Items) != 1 || policies.Items[0].Name != "theirs" {
		t.Errorf("the policies are %v: %v", policies.Items, err)
	}
}

// TestBootstrapAsksForRights: who lacks some hears of all of them before anything is
// written.
func TestBootstrapAsksForRights(t *testing.T) {
	s := newSite(t)
	reader := rest.CopyConfig(config)
	reader.Impersonate = rest.ImpersonationConfig{UserName: "reader", Groups: []string{"system:authenticated"}}
	s.grant("reader")
	s.options.Hub = reader
	s.refuses("these rights are missing", "create deployments.apps in namespace "+s.namespace, "create secrets in namespace "+s.namespace, "patch clusterroles.rbac.authorization.k8s.io")
}

// grant lets a user read everything.
func (s *site) grant(user string) {
	s.t.Helper()
	for kind, spec := range map[string]map[string]any{
		"ClusterRole": {"rules": []any{map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"get", "list", "watch"}}}},
		"ClusterRoleBinding": {
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": s.namespace},
			"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
		},
	} {
		o := &unstructured.Unstructured{Object: spec}
		o.SetAPIVersion("rbac.authorization.k8s.io/v1")
		o.SetKind(kind)
		o.SetName(s.namespace)
		if err := s.client.Create(s.t.Context(), o); err != nil {
			s.t.Fatal(err)
		}
	}
}

// deployment is one of an engine.
func deployment(name string, labels map[string]string) *appsv1.Deployment {
	pods := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pods},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pods}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "engine", Image: "engine:1"}}}},
		},
	}
}

// TestBootstrapBesideArgoCD: two engines in a namespace would write to the same
// Applications.
func TestBootstrapBesideArgoCD(t *testing.T) {
	s := newSite(t)
	s.made("helm", deployment("argocd-application-controller", map[string]string{"app.kubernetes.io/name": "argocd-application-controller", "app.kubernetes.io/part-of": "argocd"}))
	s.refuses("holds Argo CD", "causeway import argocd", "--namespace")
}

// TestBootstrapKeepsAnEngine: one that somebody else installed stays as it is, and what
// is asked of it is refused.
func TestBootstrapKeepsAnEngine(t *testing.T) {
	s := newSite(t)
	s.made("helm", deployment("causeway", map[string]string{"app.kubernetes.io/name": "causeway", "app.kubernetes.io/component": "engine"}))
	s.options.Engine.Image = "registry.example.com/causeway:2"
	s.refuses("was installed by helm", "--image")
	s.options.Engine.Image = ""
	p := s.bootstrap()
	if text := fmt.Sprint(p.Kept); !strings.Contains(text, "installed by helm and stays") {
		t.Errorf("it keeps %s", text)
	}
	if got := changesOf(p); slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, "Deployment/") }) {
		t.Errorf("the engine was written: %s", got)
	}
}

// TestBootstrapOfNamesTaken: the hub's name is another cluster's.
func TestBootstrapOfNamesTaken(t *testing.T) {
	s := newSite(t)
	s.made("terraform", &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "hub", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": "hub", "server": "https://elsewhere.example.com"},
	})
	if _, _, err := s.plan(); err == nil || !strings.Contains(err.Error(), "another cluster") || !strings.Contains(err.Error(), "--cluster") {
		t.Errorf("got %v", err)
	}
}

// TestPlanEngine: a takeover's engine takes over what it finds, but for namespaces.
func TestPlanEngine(t *testing.T) {
	s := newSite(t)
	s.made("kubectl", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "causeway", Labels: map[string]string{"of": "somebody"}}})
	b, err := NewBootstrap(s.options)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := PlanEngine(t.Context(), config, b.clients, &s.options.Engine)
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Apply(context.WithoutCancel(t.Context()), s.options.Say); err != nil {
		t.Fatal(err)
	}
	account := &corev1.ServiceAccount{}
	if err := s.get(account, "causeway"); err != nil || !managed(written(account), bootstrap.Manager) {
		t.Errorf("the service account was not taken over: %v", err)
	}
	if err := s.get(&appsv1.Deployment{}, "causeway"); err != nil {
		t.Errorf("there is no engine: %v", err)
	}
}

// written is an object as managed reads it.
func written(o client.Object) *unstructured.Unstructured {
	out := objectNamed(corev1.SchemeGroupVersion.WithKind("ServiceAccount"), o.GetNamespace(), o.GetName())
	out.SetManagedFields(o.GetManagedFields())
	return out
}
