package secretfleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

var config *rest.Config

func TestMain(m *testing.M) {
	compute.Worker()
	os.Exit(embeddedtest.Main(m, &config))
}

func newClient(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, esv1.AddToScheme, appsv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// logged is a log that a test reads while others write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) says(text string) func(context.Context) error {
	return func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !strings.Contains(l.text.String(), text) {
			return fmt.Errorf("the log is %s", l.text.String())
		}
		return nil
	}
}

// newFleet is one that looks often, and ends with its test.
func newFleet(t *testing.T) (*Fleet, *logged) {
	t.Helper()
	log := &logged{}
	pool := compute.NewPool()
	f := &Fleet{Pause: 100 * time.Millisecond, Member: Member{
		Providers: map[string]store.Factory{fake.Name: fake.Open}, Class: "causeway", Compute: pool, Log: slog.New(slog.NewTextHandler(log, nil)),
	}}
	t.Cleanup(func() {
		f.Only(nil)
		f.Wait()
		pool.Close()
	})
	return f, log
}

// wants creates a store and an ExternalSecret, and gives the name of the Secret.
func wants(t *testing.T, c client.Client, namespace, name string) types.NamespacedName {
	t.Helper()
	one := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}, Spec: esv1.SecretStoreSpec{
		Provider: map[string]apiextensionsv1.JSON{"fake": {Raw: []byte(`{"data":[{"key":"k","value":"v"}]}`)}},
	}}
	if err := c.Create(t.Context(), one); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	secret := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: esv1.ExternalSecretSpec{
		SecretStoreRef: esv1.SecretStoreRef{Name: "s"}, Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "k"}}},
	}}
	if err := c.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	return client.ObjectKeyFromObject(secret)
}

func served(c client.Client) func(context.Context) error {
	return func(ctx context.Context) error { return c.List(ctx, &esv1.SecretStoreList{}) }
}

func made(c client.Client, name types.NamespacedName) func(context.Context) error {
	return func(ctx context.Context) error { return c.Get(ctx, name, &corev1.Secret{}) }
}

func operator(namespace string, replicas int32) *appsv1.Deployment {
	tags := map[string]string{"app.kubernetes.io/name": "external-secrets"}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "external-secrets", Labels: tags}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: tags},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: tags}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}
}

// TestFleet: kinds are defined where there are none, the cluster is left alone for as long as External Secrets' own
// operator runs, and when it is taken out of the fleet.
func TestFleet(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	f, log := newFleet(t)
	f.Set(t.Context(), "one", "one", 1, config)
	f.Set(t.Context(), "one", "one", 1, nil) // the same connection is not begun anew
	embeddedtest.Eventually(t, served(c))
	first := wants(t, c, namespace, "first")
	embeddedtest.Eventually(t, made(c, first))

	own := operator(namespace, 1)
	if err := c.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, log.says("the operator of External Secrets runs in the cluster"))
	second := wants(t, c, namespace, "second")
	embeddedtest.Never(t, time.Second, made(c, second))

	if err := c.Patch(t.Context(), own, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":0}}`))); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, made(c, second))

	f.Set(t.Context(), "one", "one", 2, rest.CopyConfig(config))
	embeddedtest.Eventually(t, made(c, wants(t, c, namespace, "third")))

	f.Only(map[string]bool{"other": true})
	f.Wait()
	embeddedtest.Never(t, time.Second, made(c, wants(t, c, namespace, "fourth")))
}

// forbidden is an API server that does not list one resource.
type forbidden struct {
	http.RoundTripper

	path string
}

func (f forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != f.path {
		return f.RoundTripper.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	http.Error(w, "no rights", http.StatusForbidden)
	return w.Result(), nil
}

// TestNamespacesThatMayNotBeListed: who waits for them says so, and keeps the others waiting for a time only.
func TestNamespacesThatMayNotBeListed(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	f, _ := newFleet(t)
	f.Member.Patience = 500 * time.Millisecond
	to := rest.CopyConfig(config)
	to.Wrap(func(next http.RoundTripper) http.RoundTripper { return forbidden{next, "/api/v1/namespaces"} })
	f.Set(t.Context(), "one", "one", 1, to)
	embeddedtest.Eventually(t, func(ctx context.Context) error { return c.List(ctx, &esv1.SecretStoreList{}) })
	shared := &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: esv1.SecretStoreSpec{
		Provider:   map[string]apiextensionsv1.JSON{"fake": {Raw: []byte(`{"data":[]}`)}},
		Conditions: []esv1.StoreCondition{{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}},
	}}
	if err := c.Create(t.Context(), shared); err != nil {
		t.Fatal(err)
	}
	var first *esv1.ExternalSecret
	for i := range 2 * workers {
		first = &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("waits-", i)}, Spec: esv1.ExternalSecretSpec{
			SecretStoreRef: esv1.SecretStoreRef{Kind: esv1.ClusterSecretStoreKind, Name: shared.Name}, Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "k"}}},
		}}
		if err := c.Create(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, made(c, wants(t, c, namespace, "other")))
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(first), first); err != nil {
			return err
		}
		if said := fmt.Sprint(first.Status.Conditions); !strings.Contains(said, "took more than 500ms") || !strings.Contains(said, "the labels of the namespace") {
			return errors.New(said)
		}
		return nil
	})
}

// TestWorkloadsThatMayNotBeListed: Secrets are made all the same, and it is said once that nothing is restarted for them.
func TestWorkloadsThatMayNotBeListed(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	f, log := newFleet(t)
	to := rest.CopyConfig(config)
	to.Wrap(func(next http.RoundTripper) http.RoundTripper { return forbidden{next, "/apis/apps/v1/statefulsets"} })
	f.Set(t.Context(), "one", "one", 1, to)
	embeddedtest.Eventually(t, served(c))
	embeddedtest.Eventually(t, made(c, wants(t, c, namespace, "made")))
	embeddedtest.Eventually(t, log.says("workloads are not restarted when Secrets change"))
}

// TestClustersThatAreAway are said once, and tried for as long as they are in the fleet.
func TestClustersThatAreAway(t *testing.T) {
	asked := make(chan struct{}, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		http.Error(w, "<html>hunter22</html>", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	f, log := newFleet(t)
	f.Pause = 10 * time.Millisecond
	f.Set(t.Context(), "away", "away", 1, &rest.Config{Host: server.URL})
	for range 5 {
		<-asked
	}
	embeddedtest.Eventually(t, log.says("cluster=away"))
	f.Only(nil)
	f.Wait()
	if n := strings.Count(log.text.String(), "left alone for now"); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, log.text.String())
	}
}

// denied is a cluster whose Deployments can be listed and not read.
type denied struct {
	client.Client

	err error
}

func (d denied) Get(ctx context.Context, name client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if _, ok := into.(*appsv1.Deployment); ok {
		return d.err
	}
	return d.Client.Get(ctx, name, into, options...)
}

func (d denied) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	if all, ok := into.(*metav1.PartialObjectMetadataList); ok {
		all.Items = []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "external-secrets"}}}
	}
	return nil
}

// TestAlone: an operator of which nothing is known is no reason to write beside it.
func TestAlone(t *testing.T) {
	away := errors.New("the API server is away")
	for name, tc := range map[string]struct {
		reason string
		err    error
		want   bool
	}{
		"away":      {"a Deployment that cannot be read may run", away, true},
		"forbidden": {"also one that may not be", apierrors.NewForbidden(appsv1.Resource("deployments"), "x", away), true},
		"gone":      {"one that went just now does not", apierrors.NewNotFound(appsv1.Resource("deployments"), "x"), false},
	} {
		if err := alone(t.Context(), denied{err: tc.err}); (err != nil) != tc.want || errors.Is(err, errOperator) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
	if err := alone(t.Context(), denied{}); !errors.Is(err, errOperator) {
		t.Errorf("a Deployment that says nothing of replicas has one: %v", err)
	}
}

// defined is an API server that has this definition for stores and ExternalSecrets, and that of generators as it should be.
type defined struct {
	client.Client

	crd apiextensionsv1.CustomResourceDefinition
}

func (d defined) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	crd := d.crd.DeepCopy()
	if strings.HasSuffix(name.Name, ".generators.external-secrets.io") {
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1alpha1", Served: true}}
	}
	*into.(*apiextensionsv1.CustomResourceDefinition) = *crd
	return nil
}

// TestDefinitionsOfOthers stay as they are.
func TestDefinitionsOfOthers(t *testing.T) {
	all, err := deploy.SecretCRDs()
	if err != nil {
		t.Fatal(err)
	}
	version := func(name string, served bool) []apiextensionsv1.CustomResourceDefinitionVersion {
		return []apiextensionsv1.CustomResourceDefinitionVersion{{Name: name, Served: served}}
	}
	ready := apiextensionsv1.CustomResourceDefinitionStatus{Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}}
	for name, tc := range map[string]struct {
		reason   string
		versions []apiextensionsv1.CustomResourceDefinitionVersion
		status   apiextensionsv1.CustomResourceDefinitionStatus
		want     string
	}{
		"served":  {"one that serves v1", version("v1", true), ready, ""},
		"old":     {"one that does not", version("v1beta1", true), ready, "update External Secrets' definitions"},
		"not yet": {"one that has it and does not serve it", version("v1", false), ready, "update External Secrets' definitions"},
		"new":     {"one that is just being defined", version("v1", true), apiextensionsv1.CustomResourceDefinitionStatus{}, "does not serve it yet"},
	} {
		crd := apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{Versions: tc.versions}, Status: tc.status}
		err := defineAll(t.Context(), defined{crd: crd}, all)
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := define(ctx, defined{crd: apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{Versions: version("v1", true)}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
}

// TestWhatRings: a status that is written rings nobody.
func TestWhatRings(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(*esv1.ExternalSecret)
		want   bool
	}{
		"status":      {"a status", func(e *esv1.ExternalSecret) { e.Status.RefreshTime = metav1.Now(); e.ResourceVersion = "2" }, false},
		"spec":        {"a spec", func(e *esv1.ExternalSecret) { e.Generation = 2 }, true},
		"labels":      {"labels, which are copied", func(e *esv1.ExternalSecret) { e.Labels = map[string]string{"a": "b"} }, true},
		"annotations": {"annotations, by which people ask", func(e *esv1.ExternalSecret) { e.Annotations = map[string]string{"a": "b"} }, true},
	} {
		old := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
		changed := old.DeepCopy()
		tc.change(changed)
		if got := written.Update(event.TypedUpdateEvent[client.Object]{ObjectOld: old, ObjectNew: changed}); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// TestTokens: a token of an account that is there, and none of another.
func TestTokens(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "app"}}
	if err := c.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	own, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	made := tokens(own)
	if token, err := made(t.Context(), client.ObjectKeyFromObject(account), []string{"vault"}); err != nil || strings.Count(token, ".") != 2 {
		t.Errorf("%v, %d bytes", err, len(token))
	}
	if _, err := made(t.Context(), types.NamespacedName{Namespace: namespace, Name: "nobody"}, nil); !apierrors.IsNotFound(err) {
		t.Errorf("got %v", err)
	}
}
