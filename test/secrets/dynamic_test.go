package secrets

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/secretfleet"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/generator"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	kv "github.com/causeway-gitops/causeway/internal/secrets/provider/vault"
	"github.com/causeway-gitops/causeway/test/await"
)

// lending are a VaultDynamicSecret, and an ExternalSecret with its values.
const lending = `
apiVersion: generators.external-secrets.io/v1alpha1
kind: VaultDynamicSecret
metadata: {name: db, namespace: default}
spec:
  path: database/creds/app
  provider:
    server: VAULT
    auth: {userPass: {username: ada, secretRef: {name: creds, key: password}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: default}
spec:
  refreshPolicy: CreatedOnce
  dataFrom: [{sourceRef: {generatorRef: {kind: VaultDynamicSecret, name: db}}}]
`

// bed is a Vault that makes users of a database, and a cluster with a Secret of one.
type bed struct {
	t        *testing.T
	vault    vault
	database database
	kube     client.Client
	cluster  *embedded.Cluster
}

// TestDynamicCredentials has users of a PostgreSQL be made, replaced before they end, and revoked. At each moment, the
// Secret has one who can log in.
func TestDynamicCredentials(t *testing.T) {
	if os.Getenv("CAUSEWAY_WITHOUT_POSTGRES") != "" {
		t.Log("PostgreSQL's server is not on this machine, and nobody may install it: make has said so")
		return
	}
	d := newBed(t)
	stop := d.engine()
	first := d.holds("")
	// Another engine goes on with the users that there are.
	stop()
	stop = d.engine()
	defer func() { stop() }()
	if now := d.holds(""); now.user != first.user {
		t.Errorf("a restart made %s of %s", now.user, first.user)
	}
	second := d.holds(first.user)
	d.refused("the first, which was replaced", first)
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db"}}
	if err := d.kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db"}}
	if err := client.IgnoreNotFound(d.kube.Delete(t.Context(), secret)); err != nil { // as the garbage collector does
		t.Fatal(err)
	}
	d.refused("the second, whose Secret is gone", second)
	embeddedtest.Eventually(t, func(context.Context) error {
		if left := d.leases(); len(left) > 0 {
			return fmt.Errorf("Vault has %v", left)
		}
		return nil
	})
}

// newBed starts all of them. A user counts for a minute, and for a minute and a half at most.
func newBed(t *testing.T) *bed {
	t.Helper()
	d := &bed{t: t, vault: newVault(t), database: newDatabase(t)}
	v := d.vault
	v.has(http.MethodPost, "sys/policies/acl/app", map[string]any{"policy": `path "database/creds/app" { capabilities = ["read"] } path "sys/leases/revoke" { capabilities = ["update"] }`})
	v.has(http.MethodPost, "sys/auth/userpass", map[string]any{"type": "userpass"})
	v.has(http.MethodPost, "auth/userpass/users/ada", map[string]any{"password": "hunter23", "token_policies": "app", "token_ttl": "1h"})
	v.has(http.MethodPost, "sys/mounts/database", map[string]any{"type": "database"})
	v.has(http.MethodPost, "database/config/shop", map[string]any{
		"plugin_name": "postgresql-database-plugin", "allowed_roles": "app", "username": superuser, "password": ofSuper,
		"connection_url": "postgresql://{{username}}:{{password}}@127.0.0.1:" + d.database.port + "/postgres?sslmode=disable",
	})
	v.has(http.MethodPost, "database/roles/app", map[string]any{
		"db_name": "shop", "default_ttl": "60s", "max_ttl": "90s",
		"creation_statements": `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`,
	})
	d.cluster = embeddedtest.Start(t, embedded.Options{Name: "dynamic"})
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), esv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.kube, err = client.New(embeddedtest.Config(t, d.cluster), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	creds := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "creds"}, StringData: map[string]string{"password": "hunter23"}}
	if err := d.kube.Create(t.Context(), creds); err != nil {
		t.Fatal(err)
	}
	return d
}

// engine starts one, and creates the objects when it has defined their kinds. It ends when it is stopped.
func (d *bed) engine() (stop func()) {
	d.t.Helper()
	ctx, cancel := context.WithCancel(d.t.Context())
	pool := compute.NewPool()
	fleet := &secretfleet.Fleet{Member: secretfleet.Member{
		Lenders: map[string]generator.Lender{"VaultDynamicSecret": kv.NewDynamic(nil)}, Class: "causeway", Compute: pool, Grace: time.Second,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}}
	fleet.Set(ctx, "dynamic", "dynamic", d.cluster, embeddedtest.Config(d.t, d.cluster))
	for text := range strings.SplitSeq(strings.ReplaceAll(lending, "VAULT", d.vault.address), "---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			d.t.Fatal(err)
		}
		embeddedtest.Eventually(d.t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(d.kube.Create(ctx, o)) })
	}
	return func() {
		cancel()
		fleet.Wait()
		pool.Close()
	}
}

// login is what a Secret has.
type login struct{ user, password string }

// holds waits until the Secret has another user than one. At each look, the one that it has can log in.
func (d *bed) holds(other string) login {
	d.t.Helper()
	var found login
	await.Until(d.t, func(ctx context.Context) error {
		var secret corev1.Secret
		if err := d.kube.Get(ctx, client.ObjectKey{Namespace: "default", Name: "db"}, &secret); err != nil {
			if apierrors.IsNotFound(err) || ctx.Err() != nil {
				return err
			}
			d.t.Fatal(err)
		}
		found = login{string(secret.Data["username"]), string(secret.Data["password"])}
		if err := d.database.logIn(ctx, found.user, found.password); err != nil && ctx.Err() == nil {
			was := secret.ResourceVersion
			if d.kube.Get(ctx, client.ObjectKeyFromObject(&secret), &secret) == nil && secret.ResourceVersion != was {
				return err // it was replaced meanwhile
			}
			d.t.Fatalf("the user of the Secret cannot log in: %v; its leases are %s", strings.ReplaceAll(err.Error(), found.password, "..."), secret.Annotations[esv1.AnnotationLeases])
		}
		if all := lease.Parse(secret.Annotations[esv1.AnnotationLeases]); len(all) == 0 || strings.Contains(secret.Annotations[esv1.AnnotationLeases], found.password) {
			d.t.Fatalf("the Secret tells of %s", secret.Annotations[esv1.AnnotationLeases])
		}
		if found.user == other {
			return fmt.Errorf("the user is %s", other)
		}
		return nil
	})
	return found
}

// refused waits until a user cannot log in.
func (d *bed) refused(what string, l login) {
	d.t.Helper()
	embeddedtest.Eventually(d.t, func(ctx context.Context) error {
		if err := d.database.logIn(ctx, l.user, l.password); err == nil {
			return fmt.Errorf("%s can still log in", what)
		}
		return nil
	})
}

// leases are those that Vault has of users.
func (d *bed) leases() []any {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), "LIST", d.vault.address+"/v1/sys/leases/lookup/database/creds/app", nil)
	if err != nil {
		d.t.Fatal(err)
	}
	request.Header.Set("X-Vault-Token", "root")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound {
		return nil
	}
	keys, _ := d.vault.has("LIST", "sys/leases/lookup/database/creds/app", nil)["data"].(map[string]any)["keys"].([]any)
	return keys
}
