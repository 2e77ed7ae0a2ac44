package secretstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/controller/secretstore"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/kubernetes"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

var config *rest.Config

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &config)) }

// cluster is one whose API server has the kinds.
func cluster(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, esv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	all, err := deploy.SecretCRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		if err := c.Create(t.Context(), crd); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		return errors.Join(c.List(ctx, &esv1.SecretStoreList{}), c.List(ctx, &esv1.ClusterSecretStoreList{}))
	})
	return c
}

func specOf(pairs ...string) esv1.SecretStoreSpec {
	spec := esv1.SecretStoreSpec{Provider: map[string]apiextensionsv1.JSON{}}
	for i := 0; i < len(pairs); i += 2 {
		spec.Provider[pairs[i]] = apiextensionsv1.JSON{Raw: []byte(pairs[i+1])}
	}
	return spec
}

// TestStores says of each store whether it can be used.
func TestStores(t *testing.T) {
	c, namespace := cluster(t), embeddedtest.Namespace(t, config)
	foreign, often := specOf("fake", `{"data":[]}`), specOf("fake", `{"data":[]}`)
	foreign.Controller, often.RefreshInterval = "other", 7
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "creds"}, Data: map[string][]byte{"k": []byte("hunter22")}}
	if err := c.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	asking := specOf("kubernetes", `{"auth":{"token":{"bearerToken":{"name":"creds","key":"k"}}}}`)
	missing := specOf("kubernetes", `{"auth":{"token":{"bearerToken":{"name":"nope","key":"k"}}}}`)
	for name, tc := range map[string]struct {
		reason      string
		spec        esv1.SecretStoreSpec
		clusterwide bool
		status      string
		says        string
		again       time.Duration
	}{
		"valid":       {"one that is complete", specOf("fake", `{"data":[]}`), false, "True", "is set up", 5 * time.Minute},
		"often":       {"and is looked at as often as it says", often, false, "True", "is set up", 7 * time.Second},
		"foreign":     {"another controller's is left alone", foreign, false, "", "", 0},
		"unknown":     {"a provider that this build has not", specOf("yandex", `{}`), false, "False", "this build has fake, kubernetes", 0},
		"two":         {"two providers", specOf("fake", `{}`, "kubernetes", `{}`), false, "False", "has to name one provider", 0},
		"wrong":       {"a configuration that is none, without what it says", specOf("fake", `{"data":"hunter22"}`), false, "False", "spec.provider.fake", 0},
		"credentials": {"credentials that are there", asking, false, "True", "is set up", 5 * time.Minute},
		"no secret":   {"credentials that are not", missing, false, "False", "Secret " + namespace + "/nope does not exist", 0},
		"kubeconfig":  {"a kubeconfig that is none", specOf("kubernetes", `{"authRef":{"name":"creds","key":"k"}}`), false, "False", "no kubeconfig", 0},
		"for-all":     {"one for all namespaces", specOf("fake", `{"data":[]}`), true, "True", "is set up", 5 * time.Minute},
		"asking":      {"one that takes the credentials of who asks", asking, true, "True", "takes the credentials of the namespace", 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			r := secretstore.New(secretstore.Options{
				Objects: c, Cluster: c, Clusterwide: tc.clusterwide, Resolver: store.Resolver{Objects: c, Class: "causeway"}, Now: func() time.Time { return now },
				Stores: store.NewShelf(store.Cluster{Objects: c, Server: rest.AnonymousClientConfig(config)}, map[string]store.Factory{fake.Name: fake.Open, kubernetes.Name: kubernetes.Open}),
			})
			object := strings.ReplaceAll(name, " ", "-")
			var one client.Object = &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: object}, Spec: tc.spec}
			if tc.clusterwide {
				one = &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: object}, Spec: tc.spec}
			}
			if err := c.Create(t.Context(), one); err != nil {
				t.Fatal(err)
			}
			request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(one)}
			for range 2 {
				result, err := r.Reconcile(t.Context(), request)
				if (err != nil) != (tc.status == "False") || result.RequeueAfter != tc.again {
					t.Errorf("%s: %v, again in %s", tc.reason, err, result.RequeueAfter)
				}
				if err := c.Get(t.Context(), request.NamespacedName, one); err != nil {
					t.Fatal(err)
				}
				check(t, tc.reason, one, tc.status, tc.says)
				now = now.Add(time.Hour)
			}
		})
	}
	r := secretstore.New(secretstore.Options{Objects: c})
	if result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: "gone"}}); err != nil || result != (reconcile.Result{}) {
		t.Errorf("a store that is gone: %v, %v", result, err)
	}
}

func check(t *testing.T, reason string, one client.Object, status, says string) {
	t.Helper()
	var said esv1.SecretStoreStatus
	switch one := one.(type) {
	case *esv1.SecretStore:
		said = one.Status
	case *esv1.ClusterSecretStore:
		said = one.Status
	}
	if status == "" {
		if len(said.Conditions) > 0 {
			t.Errorf("%s: it says %+v", reason, said)
		}
		return
	}
	can := map[string]string{"True": "ReadWrite"}[status] // all of these are of providers that can
	if can == "" || strings.Contains(store.ErrAsking.Error(), says) {
		can = "ReadOnly"
	}
	if len(said.Conditions) != 1 || said.Capabilities != can {
		t.Fatalf("%s: it says %+v", reason, said)
	}
	c := said.Conditions[0]
	if c.Status != status || !strings.Contains(c.Message, says) || c.LastTransitionTime.UTC().Year() != 2026 || c.LastTransitionTime.UTC().Hour() != 0 {
		t.Errorf("%s: it says %+v", reason, c)
	}
	if strings.Contains(fmt.Sprint(said), "hunter") {
		t.Errorf("%s: a value is in the status: %+v", reason, said)
	}
}

// opener fails as it is told to.
type opener struct{ err error }

func (o opener) Open(context.Context, store.Store, string) (*store.Opened, error) { return nil, o.err }

// TestStoresThatChange: a condition follows, and its time with its status alone; long errors are cut.
func TestStoresThatChange(t *testing.T) {
	c, namespace := cluster(t), embeddedtest.Namespace(t, config)
	one := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}, Spec: specOf("fake", `{}`)}
	if err := c.Create(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		err    error
		status string
		hour   int
	}{{nil, "True", 0}, {errors.New(strings.Repeat("é", 2000)), "False", 1}, {errors.New("other"), "False", 1}, {nil, "True", 3}} {
		r := secretstore.New(secretstore.Options{Objects: c, Cluster: c, Stores: opener{step.err}, Now: func() time.Time { return now }})
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(one)}); !errors.Is(err, step.err) {
			t.Errorf("got %v", err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(one), one); err != nil {
			t.Fatal(err)
		}
		got := one.Status.Conditions[0]
		if got.Status != step.status || got.LastTransitionTime.UTC().Hour() != step.hour || len(got.Message) > 1010 {
			t.Errorf("got %+v, want %s since hour %d", got, step.status, step.hour)
		}
		now = now.Add(time.Hour)
	}
}
