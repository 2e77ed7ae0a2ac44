package charts_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
)

var hub *rest.Config

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &hub)) }

const (
	repoURL = "https://git.example.com/team/apps"
	// soon is how long the engine pauses before it tries again.
	soon = 200 * time.Millisecond
)

// cluster is the hub as its administrator sees it, with the chart's release in it.
type cluster struct {
	client.Client

	t         *testing.T
	namespace string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	if err := install.Definitions(t.Context(), hub); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(hub, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{Client: c, t: t, namespace: embeddedtest.Namespace(t, hub)}
}

// install applies what the chart makes, and returns the rules of its own roles.
func (c *cluster) install(given values) []rbacv1.PolicyRule {
	c.t.Helper()
	objects, _ := render(c.t, c.namespace, given)
	for _, o := range objects {
		if err := c.Apply(c.t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("helm"), client.ForceOwnership); err != nil {
			c.t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
	return ownRules(c.t, objects)
}

// ownRules are the rules of the roles that the engine has for itself.
func ownRules(t *testing.T, objects []*unstructured.Unstructured) []rbacv1.PolicyRule {
	t.Helper()
	rules := find[rbacv1.Role](t, objects, "Role")[0].Rules
	for _, role := range find[rbacv1.ClusterRole](t, objects, "ClusterRole") {
		if !strings.HasSuffix(role.Name, ":destination") {
			rules = append(rules, role.Rules...)
		}
	}
	return rules
}

// account is the configuration of the chart's ServiceAccount: its token, and nothing else.
func (c *cluster) account(record *requests) *rest.Config {
	c.t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "causeway"}}
	token := &authenticationv1.TokenRequest{}
	if err := c.SubResource("token").Create(c.t.Context(), account, token); err != nil {
		c.t.Fatal(err)
	}
	cfg := &rest.Config{Host: hub.Host, BearerToken: token.Status.Token}
	cfg.CAData, cfg.CAFile = hub.CAData, hub.CAFile
	cfg.WrapTransport = record.wrap
	return cfg
}

// engine runs one in this process, with the account's rights alone.
func (c *cluster) engine(cfg *rest.Config, folder string) (address string) {
	c.t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(c.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	c.engineWith(cfg, folder, func(c *app.Config) { c.Listener = l })
	return l.Addr().String()
}

// engineWith runs one whose configuration is adjusted.
func (c *cluster) engineWith(cfg *rest.Config, folder string, adjust func(*app.Config)) {
	c.t.Helper()
	config := app.Config{
		Hub: cfg, Namespace: c.namespace, CacheDir: c.t.TempDir(), LocalInterval: 50 * time.Millisecond, LeaderElection: true, Lease: await.Limit, StopWithin: await.Limit,
		Mirrors: []source.Mirror{{URL: repoURL, Path: folder}},
		Pauses:  app.Pauses{Refused: soon, Lacking: soon, Kept: soon, Rights: soon}, // what is granted in a test is soon seen
		Log:     slog.New(slog.NewTextHandler(c.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	adjust(&config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx, config) }()
	c.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			c.t.Errorf("the engine ended: %v", err)
		}
	})
}

func (c *cluster) create(o client.Object) {
	c.t.Helper()
	o.SetNamespace(c.namespace)
	if err := c.Create(c.t.Context(), o); err != nil {
		c.t.Fatal(err)
	}
}

// until waits for something to be true of an Application.
func (c *cluster) until(name string, check func(*v1alpha1.Application) error) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		a := &v1alpha1.Application{}
		if err := c.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name}, a); err != nil {
			return err
		}
		return check(a)
	})
}

func good(a *v1alpha1.Application) error {
	if a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && a.Status.Health.Status == v1alpha1.HealthStatusHealthy {
		return nil
	}
	return fmt.Errorf("application %s is %q and %q: %v", a.Name, a.Status.Sync.Status, a.Status.Health.Status, a.Status.Conditions)
}

// complains is a check that a condition has all of the words.
func complains(words ...string) func(*v1alpha1.Application) error {
	return func(a *v1alpha1.Application) error {
	conditions:
		for _, condition := range a.Status.Conditions {
			for _, word := range words {
				if !strings.Contains(condition.Message, word) {
					continue conditions
				}
			}
			return nil
		}
		return fmt.Errorf("no condition of application %s has %q: %v", a.Name, words, a.Status.Conditions)
	}
}

// clusterSecret describes the hub, limited to one namespace.
func clusterSecret(namespace string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "in-cluster", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": "in-cluster", "server": "https://kubernetes.default.svc", "namespaces": namespace},
	}
}

// applicationSet makes Applications of these names.
func applicationSet(t *testing.T, target string, names ...string) *v1alpha1.ApplicationSet {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "apps"}}
	text := `
generators:
- list: {elements: [` + elements(names) + `]}
template:
  metadata: {name: '{{name}}', finalizers: [resources-finalizer.argocd.argoproj.io]}
  spec:
    project: default
    source: {repoURL: ` + repoURL + `, path: '{{name}}', targetRevision: HEAD}
    destination: {name: in-cluster, namespace: ` + target + `}
    syncPolicy: {automated: {prune: true, selfHeal: true}}
`
	if err := yaml.UnmarshalStrict([]byte(text), &set.Spec); err != nil {
		t.Fatal(err)
	}
	return set
}

func elements(names []string) string {
	return "{name: " + strings.Join(names, "}, {name: ") + "}"
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// explained are rights that are needed where another API server answers than
// the one of this test.
var explained = map[string]string{
	"list argoproj.io/applications":    streamed,
	"list argoproj.io/applicationsets": streamed,
	"list argoproj.io/appprojects":     streamed,
	"patch argoproj.io/appprojects":    "a project that is deleted while it has the finalizer",
	"list /secrets":                    streamed,
}

const streamed = "API servers without streaming lists (WatchList) are asked for a list first"

func TestEngineNeedsWhatTheChartGrants(t *testing.T) {
	c, target, folder, record := newCluster(t), embeddedtest.Namespace(t, hub), t.TempDir(), newRequests()
	for _, name := range []string{"web", "spare"} {
		write(t, filepath.Join(folder, name, "cm.yaml"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+"}, data: {mode: standard}}\n")
	}
	c.install(nil)
	c.create(clusterSecret(target))
	address := c.engine(c.account(record), folder)
	c.create(applicationSet(t, target, "web", "spare"))

	// Nothing may be deployed yet, and the Application says what is missing.
	c.until("web", complains("configmaps", "list", "in-cluster", "forbidden"))

	rules := c.install(values{
		"destination": values{"rules": someRules(), "namespaces": []any{target}},
		"generators":  generatorValues(),
	})
	c.until("web", good)
	c.until("spare", good)
	c.generate()
	c.exercise(target)
	c.push("http://" + address)

	for _, right := range record.unused(rules) {
		if explained[right] == "" {
			t.Errorf("the chart grants what the engine does not use: %s", right)
		}
	}
	// The objects of applications, before they were granted.
	later := func(q request) bool {
		return q.namespace != c.namespace && q.resource == "configmaps" || q.namespace == target
	}
	for _, q := range record.refusals(later) {
		t.Errorf("the chart does not grant what the engine asks for: %s", q)
	}
}

func TestClusterTakesEveryOption(t *testing.T) {
	c := newCluster(t)
	objects, _ := render(t, c.namespace, values{
		"replicas": 2, "podDisruptionBudget": values{"enabled": true}, "priorityClassName": "system-cluster-critical",
		"networkPolicy":     values{"enabled": true, "from": []any{values{"namespaceSelector": values{}}}},
		"destination":       values{"rules": someRules(), "namespaces": []any{c.namespace}},
		"rbac":              values{"ownerReferencesPermissionEnforcement": true},
		"serviceAccount":    values{"annotations": values{"example.com/role": "deployer"}},
		"service":           values{"annotations": values{"prometheus.io/scrape": "true"}},
		"engine":            values{"mirrors": values{"https://charts.example.com": "/mirrors"}, "extraArgs": []any{"--local-interval=1s"}},
		"podLabels":         values{"team": "platform"},
		"podAnnotations":    values{"example.com/note": "x"},
		"nodeSelector":      values{"kubernetes.io/os": "linux"},
		"tolerations":       []any{values{"operator": "Exists"}},
		"affinity":          values{"podAntiAffinity": values{}},
		"extraEnv":          []any{values{"name": "HTTPS_PROXY", "value": "http://proxy"}},
		"extraVolumes":      []any{values{"name": "mirrors", "emptyDir": values{}}},
		"extraVolumeMounts": []any{values{"name": "mirrors", "mountPath": "/mirrors"}},
		"imagePullSecrets":  []any{values{"name": "registry"}},
		"topologySpreadConstraints": []any{values{
			"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": values{},
		}},
	})
	for _, o := range objects {
		apply := client.ApplyConfigurationFromUnstructured(o)
		if err := c.Apply(t.Context(), apply, client.FieldOwner("helm"), client.DryRunAll); err != nil {
			t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
}

// exercise makes the engine do the rarer things: take an Application away
// again, and repeat an event.
func (c *cluster) exercise(target string) {
	c.t.Helper()
	set := &v1alpha1.ApplicationSet{}
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: c.namespace, Name: "apps"}, set); err != nil {
		c.t.Fatal(err)
	}
	before := set.DeepCopy()
	set.Spec = applicationSet(c.t, target, "web").Spec
	if err := c.Patch(c.t.Context(), set, client.MergeFrom(before)); err != nil {
		c.t.Fatal(err)
	}
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		err := c.Get(ctx, client.ObjectKey{Namespace: target, Name: "spare"}, &corev1.ConfigMap{})
		if err == nil {
			return errors.New("the object of the Application that was taken away is still there")
		}
		return client.IgnoreNotFound(err)
	})
	broken := clusterSecret(target)
	broken.Name, broken.StringData["name"] = "broken", "broken"
	broken.StringData["server"] = "one"
	c.create(broken)
	c.untilEvents("InvalidCluster", 1)
	broken.StringData = map[string]string{"server": "two"}
	if err := c.Update(c.t.Context(), broken); err != nil {
		c.t.Fatal(err)
	}
	c.untilEvents("InvalidCluster", 2)
}

// push tells the engine of a push, as GitHub does.
func (c *cluster) push(address string) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		body := `{"ref": "refs/heads/main", "repository": {"html_url": "` + repoURL + `"}}`
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/webhook", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("X-Github-Event", "push")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("the webhook answers %s", resp.Status)
		}
		return nil
	})
}

func (c *cluster) untilEvents(reason string, count int32) {
	c.t.Helper()
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		var list corev1.EventList
		if err := c.List(ctx, &list, client.InNamespace(c.namespace)); err != nil {
			return err
		}
		for i := range list.Items {
			if list.Items[i].Reason == reason && list.Items[i].Count >= count {
				return nil
			}
		}
		return fmt.Errorf("no event %s was counted %d times", reason, count)
	})
}
