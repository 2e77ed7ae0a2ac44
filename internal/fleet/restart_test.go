package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	v1alpha1 "github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/credential"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestRestart restarts a spoke's API server: the cache goes on where it was,
// and learns what changed meanwhile.
func TestRestart(t *testing.T) {
	spoke := embeddedtest.Start(t, embedded.Options{DataDir: t.TempDir()})
	f, seen := newFleet(t, config)
	cfg := embeddedtest.Config(t, spoke)
	d := gitops.Cluster{Name: "spoke", Server: cfg.Host, Secret: "spoke"}
	if err := f.Set(t.Context(), d, cfg); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "spoke"})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []schema.GroupVersionKind{configMaps}
	mustLive(t, c, "shop", kinds)
	apply(t, c, configMap("default", "before", "shop", "1"))
	key := gitops.Key{Kind: "ConfigMap", Namespace: "default", Name: "before"}
	embeddedtest.Eventually(t, func(context.Context) error {
		return seen.has(gitops.Change{Server: d.Server, App: "shop", Key: key})
	})

	if err := spoke.Stop(); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error { return seen.hasCluster(d.Server + " up=false") })
	_, err = c.Live(t.Context(), "shop", kinds, nil) // nobody waits until it is back
	problemOf(t, err, gitops.Unreachable)
	if s := c.State(); s.Reachable || s.Err == nil || s.Version == "" || s.Objects != 1 {
		t.Errorf("state of a cluster that is down: %+v", s)
	}
	seen.take()

	embeddedtest.Start(t, spoke.Options())
	embeddedtest.Eventually(t, func(context.Context) error { return seen.hasCluster(d.Server + " up=true") })
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		live, err := c.Live(ctx, "shop", kinds, nil)
		if err == nil && live[key] == nil {
			err = errors.New("the object is gone")
		}
		return err
	})
	if changes := seen.take(); len(changes) != 0 {
		t.Errorf("a restart told changes: %v", changes)
	}
	apply(t, c, configMap("default", "after", "shop", "1"))
	embeddedtest.Eventually(t, func(context.Context) error {
		return seen.has(gitops.Change{Server: d.Server, App: "shop", Key: gitops.Key{Kind: "ConfigMap", Namespace: "default", Name: "after"}})
	})
}

// TestOneDown has a spoke that takes connections and never answers: it costs
// the hub nothing, and its own callers little.
func TestOneDown(t *testing.T) {
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	f, _ := newFleet(t, config)
	d := gitops.Cluster{Name: "hole", Server: "https://" + hole.Addr().String(), Secret: "hole"}
	if err := f.Set(t.Context(), d, &rest.Config{Host: d.Server, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Server: d.Server + "/"})
	if err != nil {
		t.Fatal(err)
	}
	down := make(chan error, 1)
	go func() {
		_, err := c.Live(t.Context(), "shop", []schema.GroupVersionKind{configMaps}, nil)
		down <- err
	}()
	mustLive(t, f.Hub(), "shop", []schema.GroupVersionKind{configMaps})
	problemOf(t, <-down, gitops.Unreachable)
}

// TestForbidden uses an account that may read ConfigMaps and nothing else.
func TestForbidden(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	cfg := accountConfig(t, namespace)
	f, _ := newFleet(t, config)
	d := gitops.Cluster{Name: "poor", Server: cfg.Host, Secret: "poor", Namespaces: []string{namespace}}
	if err := f.Set(t.Context(), d, cfg); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "poor"})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, f.Hub(), configMap(namespace, "a", namespace, "1"))
	live := mustLive(t, c, namespace, []schema.GroupVersionKind{configMaps})
	if len(live) != 1 {
		t.Errorf("a cluster that is limited to namespaces gave %v", live)
	}
	_, err = c.Live(t.Context(), namespace, []schema.GroupVersionKind{deployments}, nil)
	p := problemOf(t, err, gitops.Refused)
	for _, word := range []string{"list and watch", "deployments.apps", "poor"} {
		if !strings.Contains(p.Error(), word) {
			t.Errorf("%q does not tell %q", p, word)
		}
	}
}

// accountConfig makes an account that may read ConfigMaps of a namespace.
func accountConfig(t *testing.T, namespace string) *rest.Config {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(config)
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: namespace},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "default", Namespace: namespace}},
	}
	if _, err := client.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &rest.Config{
		Host: config.Host, BearerToken: token.Status.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData, CAFile: config.CAFile},
	}
}

// TestBadToken is refused, and told so.
func TestBadToken(t *testing.T) {
	f, _ := newFleet(t, config)
	cfg := &rest.Config{Host: config.Host, BearerToken: "not-a-token", TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData, CAFile: config.CAFile}}
	if err := f.Set(t.Context(), gitops.Cluster{Name: "bad", Server: config.Host, Secret: "bad-secret"}, cfg); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "bad"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Live(t.Context(), "shop", []schema.GroupVersionKind{configMaps}, nil)
	p := problemOf(t, err, gitops.Refused)
	if !strings.Contains(p.Error(), "bad-secret") || strings.Contains(p.Error(), "not-a-token") {
		t.Errorf("got %q", p)
	}
}

// refusedSource gives tokens that no API server takes.
type refusedSource struct{ calls atomic.Int32 }

func (s *refusedSource) Get(context.Context) (credential.Credential, error) {
	return credential.Credential{Token: "not-a-token-" + strconv.Itoa(int(s.calls.Add(1)))}, nil
}

// TestNewTokensAreRefused has a plugin whose tokens are all refused: a few are
// got, and the cluster's health tells why it cannot be used.
func TestNewTokensAreRefused(t *testing.T) {
	f, _ := newFleet(t, config)
	source := &refusedSource{}
	rt, err := credential.NewTransport(credential.Options{TLS: transport.TLSConfig{CAData: config.CAData, CAFile: config.CAFile}, Source: source})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.CloseIdleConnections()
	if err := f.Set(t.Context(), gitops.Cluster{Name: "bad", Server: config.Host, Secret: "bad-secret"}, &rest.Config{Host: config.Host, Transport: rt}); err != nil {
		t.Fatal(err)
	}
	c, err := f.Resolve(v1alpha1.ApplicationDestination{Name: "bad"})
	if err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		_, err := c.Live(ctx, "shop", []schema.GroupVersionKind{configMaps}, nil)
		p := problemOf(t, err, gitops.Refused)
		for _, word := range []string{"401", "new credentials are refused as well", "bad-secret"} {
			if !strings.Contains(p.Error(), word) {
				return fmt.Errorf("%w; it does not tell %q", p, word)
			}
		}
		if err := c.State().Err; err == nil || !strings.Contains(err.Error(), "new credentials are refused as well") {
			return fmt.Errorf("the health of the cluster tells %w", errors.Join(err, errors.New("something else")))
		}
		return nil
	})
	if n := source.calls.Load(); n > 4 {
		t.Errorf("%d tokens were got", n)
	}
}
