package app

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// fronted is an API server that counts who asks for its version, and that can
// be away.
type fronted struct {
	*httptest.Server

	versions atomic.Int32
	away     atomic.Bool
}

func newFronted(t *testing.T) *fronted {
	t.Helper()
	a, hubConfig := &fronted{}, toHub(t)
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.away.Load() {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path == "/version" {
			a.versions.Add(1)
		}
		hubConfig.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { embeddedtest.Shut(a.Server) })
	return a
}

// kubeconfig leads to it.
func (a *fronted) kubeconfig(token string) []byte {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Certificate().Raw})
	return fmt.Appendf(nil, `{current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}],
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}], users: [{name: c, user: {token: %s}}]}`,
		a.URL, base64.StdEncoding.EncodeToString(ca), token)
}

// untilSeen waits until the engine has looked at a Cluster as it is now.
func (e *engine) untilSeen(name string) {
	e.t.Helper()
	e.clusterUntil(name, "seen and ready", func(c *causeway.Cluster) bool { return isReady(c) && c.Status.ObservedGeneration == c.Generation })
}

// TestClusterSaysWhatTheFleetKnows looks often at a Cluster, whose API server
// is not asked for that, and goes away and comes back.
func TestClusterSaysWhatTheFleetKnows(t *testing.T) {
	e, server := start(t, nil), newFronted(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "front", Namespace: e.namespace}, Data: map[string][]byte{"config": server.kubeconfig("one")}}
	c := &causeway.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "fronted", Namespace: e.namespace},
		Spec:       causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{SecretRef: causeway.KeyReference{Name: secret.Name, Key: "config"}}},
	}
	if err := errors.Join(e.Create(t.Context(), secret), e.Create(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	if ready := e.clusterUntil(c.Name, "ready", isReady); ready.Status.Version == "" {
		t.Error("the version is not told")
	}
	const looks = 10
	before := server.versions.Load()
	for i := range looks {
		e.changeCluster(c, func(c *causeway.Cluster) { c.Spec.Annotations = map[string]string{"look": strconv.Itoa(i)} })
		e.untilSeen(c.Name)
	}
	// A busy machine may lose a connection, after which the fleet asks.
	if n := server.versions.Load() - before; n >= looks {
		t.Errorf("its API server was asked %d times at %d looks", n, looks)
	}

	server.away.Store(true)
	server.CloseClientConnections()
	e.clusterUntil(c.Name, "telling that it is away", clusterSays(causeway.ConditionReady, "Unreachable", "does not answer"))
	server.away.Store(false)
	e.clusterUntil(c.Name, "ready again", isReady)

	// Other credentials are the fleet's before the Cluster is ready with them.
	before = server.versions.Load()
	secret.Data["config"] = server.kubeconfig("two")
	if err := e.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	e.changeCluster(c, func(c *causeway.Cluster) { c.Spec.Annotations = map[string]string{"look": "last"} })
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: c.Name}, c); err != nil {
			return err
		}
		if !isReady(c) || c.Status.ObservedGeneration != c.Generation || server.versions.Load() == before {
			return fmt.Errorf("it is not connected to with the new credentials: %+v", c.Status)
		}
		return nil
	})
}
