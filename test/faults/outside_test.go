package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/faults/remote"
	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// TestOutside has faults that are not those of requests: servers that go away,
// a cluster that refuses, people who interfere. One after the other, each in a
// namespace of its own.
func TestOutside(t *testing.T) {
	w := newWorld(t)
	w.startEngine("--interval", "1s")
	for name, test := range map[string]func(*stage){
		"git server":            gitServer,
		"chart server":          chartServer,
		"policy denies":         policyDenies,
		"webhook hangs":         webhookHangs,
		"namespace terminating": namespaceTerminating,
		"quota":                 quota,
		"two users":             twoUsers,
		"recorder":              recorderForgets,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(w.stage(t))
		})
	}
}

// stage is one test in a world of several.
type stage struct {
	*world

	t    *testing.T
	ctx  context.Context //nolint:containedctx // lives as long as its test
	name string
}

func (w *world) stage(t *testing.T) *stage {
	t.Helper()
	name := "x-" + strings.ReplaceAll(strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:]), "_", "-")
	s := &stage{world: w, t: t, ctx: t.Context(), name: name}
	s.apply(fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {stage: %s}}}", name, name))
	return s
}

// resources are the kinds that stages make by hand.
var resources = map[string]schema.GroupVersionResource{
	"Namespace":                        {Version: "v1", Resource: "namespaces"},
	"ConfigMap":                        {Version: "v1", Resource: "configmaps"},
	"ResourceQuota":                    {Version: "v1", Resource: "resourcequotas"},
	"Application":                      resourceOf("Application"),
	"ValidatingAdmissionPolicy":        {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"},
	"ValidatingAdmissionPolicyBinding": {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"},
	"ValidatingWebhookConfiguration":   {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"},
}

// apply makes or changes an object by server-side apply.
func (s *stage) apply(text string) {
	s.t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		s.t.Fatalf("%v in\n%s", err, text)
	}
	client := s.dynamic.Resource(resources[o.GetKind()])
	var err error
	if o.GetNamespace() == "" {
		_, err = client.Apply(s.ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: suite, Force: true})
	} else {
		_, err = client.Namespace(o.GetNamespace()).Apply(s.ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: suite, Force: true})
	}
	if err != nil {
		s.t.Fatalf("cannot apply %s %s: %v", o.GetKind(), o.GetName(), err)
	}
}

func (s *stage) remove(kind, name string) {
	s.t.Helper()
	if err := s.dynamic.Resource(resources[kind]).Delete(s.ctx, name, metav1.DeleteOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// app makes an Application of a source into the stage's namespace.
func (s *stage) app(source string, options ...string) {
	s.t.Helper()
	s.apply(fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %[1]s, namespace: %[2]s, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: default
  source: {%[3]s}
  destination: {server: "https://kubernetes.default.svc", namespace: %[1]s}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions: [%[4]s]
    retry: {limit: -1, backoff: {duration: 1s, factor: 2, maxDuration: 4s}}
`, s.name, control, source, strings.Join(options, ", ")))
}

// folder is an Application of a mirrored folder that holds one file.
func (s *stage) folder(text string, options ...string) {
	s.t.Helper()
	s.commit(text)
	s.app(fmt.Sprintf("repoURL: %s/%s, path: app, targetRevision: HEAD", repoBase, s.name), options...)
}

func (s *stage) commit(text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, s.name, "app", "all.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}

// configMap is a manifest with a content.
func configMap(name, content string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, annotations: {%s: %q}}\ndata: {content: %q}\n---\n", name, scene.ContentAnnotation, content, content)
}

// holds waits until a ConfigMap has a content and the Application is good.
func (s *stage) holds(name, content string) {
	s.t.Helper()
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		cm, err := s.clients.CoreV1().ConfigMaps(s.name).Get(ctx, name, metav1.GetOptions{})
		if err == nil && cm.Data["content"] != content {
			err = fmt.Errorf("content is %q, want %q", cm.Data["content"], content)
		}
		if err == nil {
			return s.good(ctx)
		}
		return errors.Join(err, s.good(ctx))
	})
}

func (s *stage) good(ctx context.Context) error {
	app, err := s.dynamic.Resource(resources["Application"]).Namespace(control).Get(ctx, s.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	status := fmt.Sprint(app.Object["status"])
	sync, _, _ := unstructured.NestedString(app.Object, "status", "sync", "status")
	health, _, _ := unstructured.NestedString(app.Object, "status", "health", "status")
	if sync != "Synced" || health != "Healthy" {
		return fmt.Errorf("the application is %q and %q: %.1500s", sync, health, status)
	}
	return nil
}

// says waits until the status of the Application has some words in it.
func (s *stage) says(words ...string) {
	s.t.Helper()
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		app, err := s.dynamic.Resource(resources["Application"]).Namespace(control).Get(ctx, s.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status := fmt.Sprint(app.Object["status"])
		for _, word := range words {
			if !strings.Contains(status, word) {
				return fmt.Errorf("the status does not say %q: %.1500s", word, status)
			}
		}
		return nil
	})
}

// kept fails when an object is not the one that it was.
func (s *stage) kept(name string, uid any) {
	s.t.Helper()
	cm, err := s.clients.CoreV1().ConfigMaps(s.name).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil || any(cm.UID) != uid {
		s.t.Errorf("%s was deleted because of the fault: %v", name, err)
	}
}

func (s *stage) uid(name string) any {
	s.t.Helper()
	cm, err := s.clients.CoreV1().ConfigMaps(s.name).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return cm.UID
}

// met waits until a server has shown a mode to a few requests.
func (s *stage) met(server *remote.Server) {
	s.t.Helper()
	embeddedtest.Eventually(s.t, func(context.Context) error {
		if n := server.Hit(); n < 2 {
			return fmt.Errorf("%d requests have met the fault", n)
		}
		return nil
	})
}

func gitServer(s *stage) {
	g, err := remote.NewGit(s.ctx, s.t.TempDir(), map[string]string{"app/a.yaml": configMap("a", "1")})
	if err != nil {
		s.t.Fatal(err)
	}
	defer g.Close()
	s.app("repoURL: " + g.RepoURL() + ", path: app, targetRevision: main")
	s.holds("a", "1")
	uid := s.uid("a")
	for i, mode := range []remote.Mode{remote.Down, remote.Half, remote.Hang} {
		content := strconv.Itoa(i + 2)
		g.Set(mode)
		if err := g.Commit(s.ctx, map[string]string{"app/a.yaml": configMap("a", content)}); err != nil {
			s.t.Fatal(err)
		}
		s.met(g.Server)
		s.kept("a", uid)
		g.Set(remote.Fine)
		s.holds("a", content)
	}
	if err := g.Rewrite(s.ctx, map[string]string{"app/a.yaml": configMap("a", "rewritten")}); err != nil {
		s.t.Fatal(err)
	}
	s.holds("a", "rewritten")
	s.kept("a", uid)
}

func chartServer(s *stage) {
	c := remote.NewCharts("1.0.0")
	defer c.Close()
	s.app(fmt.Sprintf("repoURL: %q, chart: web, targetRevision: \"1.x\"", c.URL()))
	s.holds("web", "1.0.0")
	uid := s.uid("web")
	for i, mode := range []remote.Mode{remote.Down, remote.Half, remote.Hang} {
		version := fmt.Sprintf("1.%d.0", i+1)
		c.Set(mode)
		c.Publish(version)
		s.met(c.Server)
		s.kept("web", uid)
		c.Set(remote.Fine)
		s.holds("web", version)
	}
	s.kept("web", uid)
}

func policyDenies(s *stage) {
	s.folder(configMap("a", "1"))
	s.holds("a", "1")
	s.apply(fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: %s}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}
  validations: [{expression: "!has(object.data.content) || object.data.content != '2'", message: "two is not allowed here"}]
`, s.name))
	s.apply(fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec: {policyName: %[1]s, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {stage: %[1]s}}}}
`, s.name))
	s.refuses("2")
	s.commit(configMap("a", "2") + configMap("b", "1"))
	s.says("two is not allowed here")
	s.remove("ValidatingAdmissionPolicyBinding", s.name)
	s.remove("ValidatingAdmissionPolicy", s.name)
	s.holds("a", "2")
	s.holds("b", "1")
}

// refuses waits until the API server refuses a content, by a dry run: it
// learns of policies and webhooks with a delay.
func (s *stage) refuses(content string) {
	s.t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "probe", "namespace": s.name}, "data": map[string]any{"content": content},
	}}
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		_, err := s.dynamic.Resource(resources["ConfigMap"]).Namespace(s.name).Create(ctx, o, metav1.CreateOptions{DryRun: []string{"All"}})
		if err == nil {
			return errors.New("it is still taken")
		}
		return nil
	})
}

func webhookHangs(s *stage) {
	s.folder(configMap("a", "1"))
	s.holds("a", "1")
	var lc net.ListenConfig
	silent, err := lc.Listen(s.ctx, "tcp", "127.0.0.1:0") // takes connections and never says a word
	if err != nil {
		s.t.Fatal(err)
	}
	defer silent.Close()
	s.apply(fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
  - name: silent.example.com
    clientConfig: {url: "https://%[2]s/"}
    timeoutSeconds: 1
    failurePolicy: Fail
    sideEffects: None
    admissionReviewVersions: [v1]
    namespaceSelector: {matchLabels: {stage: %[1]s}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
`, s.name, silent.Addr()))
	s.refuses("2")
	s.commit(configMap("a", "2") + configMap("b", "1"))
	s.says("silent.example.com")
	s.remove("ValidatingWebhookConfiguration", s.name)
	s.holds("a", "2")
	s.holds("b", "1")
}

func namespaceTerminating(s *stage) {
	s.folder(configMap("a", "1"), "CreateNamespace=true")
	s.holds("a", "1")
	maps := s.clients.CoreV1().ConfigMaps(s.name)
	s.apply(fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: stuck, namespace: %s, finalizers: [example.com/stuck]}}", s.name))
	s.remove("Namespace", s.name)
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		if _, err := maps.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the namespace has not been emptied: %w", err)
		}
		return nil
	})
	s.commit(configMap("a", "2"))
	s.says("Namespace")
	s.apply(fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: stuck, namespace: %s, finalizers: []}}", s.name))
	s.holds("a", "2")
}

func quota(s *stage) {
	// kube-root-ca.crt is one of them.
	limit := func(n int) {
		s.apply(fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: %s}, spec: {hard: {count/configmaps: %d}}}", s.name, n))
	}
	limit(3)
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		q, err := s.clients.CoreV1().ResourceQuotas(s.name).Get(ctx, "few", metav1.GetOptions{})
		if err == nil && len(q.Status.Used) == 0 {
			err = errors.New("the quota has not been counted")
		}
		return err
	})
	s.folder(configMap("a", "1") + configMap("b", "1") + configMap("c", "1") + configMap("d", "1"))
	s.says("exceeded quota")
	limit(10)
	for _, name := range []string{"a", "b", "c", "d"} {
		s.holds(name, "1")
	}
}

// twoUsers change one object all the time; the engine neither gives up nor
// takes part in the race without limit.
func twoUsers(s *stage) {
	s.folder(configMap("a", "1") + configMap("calm", "1"))
	s.holds("a", "1")
	maps := s.clients.CoreV1().ConfigMaps(s.name)
	const corrections = 3
	writes, seen, at := 0, 0, "null"
	for end := time.Now().Add(await.Limit); seen < corrections; writes++ {
		if time.Now().After(end) {
			s.t.Fatalf("the engine has written %d times between %d changes by hand, want %d", seen, writes, corrections)
		}
		user := fmt.Sprintf("user-%d", writes%2)
		patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%s},"data":{"content":%q}}`, at, fmt.Sprint(user, writes))
		o, err := maps.Patch(s.ctx, "a", "application/merge-patch+json", []byte(patch), metav1.PatchOptions{FieldManager: user})
		switch {
		case apierrors.IsConflict(err): // somebody else was there since the change before
			at, seen = "null", seen+1
		case err != nil:
			s.t.Fatal(err)
		default:
			at = strconv.Quote(o.ResourceVersion)
		}
	}
	s.commit(configMap("a", "1") + configMap("calm", "2"))
	s.holds("calm", "2")
	s.holds("a", "1")
	s.t.Logf("%d changes by hand", writes)
}
