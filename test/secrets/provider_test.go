package secrets

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	kv "github.com/causeway-gitops/causeway/internal/secrets/provider/vault"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// reader may read all of the engine secret, and what is below old.
const reader = `
path "secret/*" { capabilities = ["read", "list"] }
path "old/*" { capabilities = ["read"] }
`

func TestProviderAtVault(t *testing.T) {
	v := newVault(t)
	v.has(http.MethodPost, "sys/policies/acl/reader", map[string]any{"policy": reader})
	v.has(http.MethodPost, "sys/mounts/secret", map[string]any{"type": "kv", "options": map[string]any{"version": "2"}})
	v.has(http.MethodPost, "sys/mounts/old", map[string]any{"type": "kv", "options": map[string]any{"version": "1"}})
	for _, step := range []struct {
		name string
		does func(t *testing.T, v vault)
	}{{"Read", reads}, {"Find", finds}, {"LogIn", logsIn}, {"TokenEnds", tokenEnds}, {"Write", writes}} {
		t.Run(step.name, func(t *testing.T) { step.does(t, vault{t, v.address}) })
	}
}

func reads(t *testing.T, v vault) {
	v.put("db", map[string]any{"password": "old"})
	v.put("db", map[string]any{"password": "s3cret<&>", "inner": map[string]any{"a": "b"}})
	v.put("a b", map[string]any{"v": "signs"})
	v.put("large", map[string]any{"v": strings.Repeat("x", 1<<19)})
	v.put("gone", map[string]any{"a": "b"})
	v.has(http.MethodDelete, "secret/data/gone", nil)
	v.has(http.MethodPost, "old/db", map[string]any{"password": "v1"})
	v.has(http.MethodPost, "secret/metadata/db", map[string]any{"custom_metadata": map[string]any{"team": "shop"}})
	second := open(t, v, `{"path":"secret","auth":{"tokenSecretRef":{"name":"creds","key":"root"}}}`, nil)
	first := open(t, v, `{"path":"old","version":"v1","auth":{"tokenSecretRef":{"name":"creds","key":"root"}}}`, nil)
	for name, tc := range map[string]struct {
		of       provider.Reader
		ref      provider.Ref
		property string
		want     string
		absent   bool
	}{
		"field":      {second, provider.Ref{Key: "db"}, "password", "s3cret<&>", false},
		"inner":      {second, provider.Ref{Key: "db"}, "inner.a", "b", false},
		"version":    {second, provider.Ref{Key: "db", Version: "1"}, "", `{"password":"old"}`, false},
		"no version": {second, provider.Ref{Key: "db", Version: "9"}, "", "", true},
		"signs":      {second, provider.Ref{Key: "a b"}, "v", "signs", false},
		"large":      {second, provider.Ref{Key: "large"}, "v", strings.Repeat("x", 1<<19), false},
		"metadata":   {second, provider.Ref{Key: "db", Metadata: true}, "team", "shop", false},
		"deleted":    {second, provider.Ref{Key: "gone"}, "", "", true},
		"absent":     {second, provider.Ref{Key: "nope"}, "", "", true},
		"first":      {first, provider.Ref{Key: "db"}, "password", "v1", false},
		"no first":   {first, provider.Ref{Key: "nope"}, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := tc.of.Read(t.Context(), tc.ref)
			if errors.Is(err, entry.ErrNotFound) != tc.absent || err != nil && !tc.absent {
				t.Fatalf("got the error %v, absent: %v", err, tc.absent)
			}
			if tc.absent {
				return
			}
			got, err := one.Value(tc.property)
			if err != nil || string(got) != tc.want {
				t.Errorf("got %.80q, want %.80q (%v)", got, tc.want, err)
			}
		})
	}
}

func finds(t *testing.T, v vault) {
	v.put("team/one", map[string]any{"v": "1"})
	v.put("team/deep/two", map[string]any{"v": "2"})
	v.put("team/gone", map[string]any{"v": "3"})
	v.has(http.MethodDelete, "secret/data/team/gone", nil)
	v.has(http.MethodPost, "secret/metadata/team/deep/two", map[string]any{"custom_metadata": map[string]any{"env": "prod"}})
	p := open(t, v, `{"path":"secret","auth":{"tokenSecretRef":{"name":"creds","key":"root"}}}`, nil)
	path := "team"
	for name, tc := range map[string]struct {
		find esv1.Find
		want []string
	}{
		"by name": {esv1.Find{Path: &path, Name: &esv1.FindName{RegExp: "o$"}}, []string{"team/deep/two"}},
		"by tags": {esv1.Find{Path: &path, Tags: map[string]string{"env": "prod"}}, []string{"team/deep/two"}},
		"all":     {esv1.Find{Path: &path, Name: &esv1.FindName{RegExp: "."}}, []string{"team/deep/two", "team/one"}},
		"none":    {esv1.Find{Path: &path, Name: &esv1.FindName{RegExp: "^x"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := p.Find(t.Context(), tc.find)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(found))); diff != "" || err != nil {
				t.Errorf("found (-want +got), %v:\n%s", err, diff)
			}
		})
	}
}

func logsIn(t *testing.T, v vault) {
	v.put("db", map[string]any{"password": "p"})
	own, public := newKey(t)
	for _, method := range []string{"approle", "userpass", "jwt"} {
		v.has(http.MethodPost, "sys/auth/"+method, map[string]any{"type": method})
	}
	v.has(http.MethodPost, "auth/approle/role/app", map[string]any{"token_policies": "reader"})
	role := text(v.has(http.MethodGet, "auth/approle/role/app/role-id", nil), "data", "role_id")
	secret := text(v.has(http.MethodPost, "auth/approle/role/app/secret-id", nil), "data", "secret_id")
	v.has(http.MethodPost, "auth/userpass/users/ada", map[string]any{"password": "hunter22", "token_policies": "reader"})
	v.has(http.MethodPost, "auth/jwt/config", map[string]any{"jwt_validation_pubkeys": public, "bound_issuer": "tests"})
	v.has(http.MethodPost, "auth/jwt/role/app", map[string]any{
		"role_type": "jwt", "user_claim": "sub", "bound_audiences": "vault", "token_policies": "reader",
	})
	creds := map[string]string{
		"role": role, "secret": secret, "password": "hunter22", "wrong": "planted-hunter23",
		"jwt": own.sign(t, "vault"), "other": own.sign(t, "planted-audience"),
	}
	for name, tc := range map[string]struct{ auth, err string }{
		"appRole":   {`{"appRole":{"roleRef":{"name":"creds","key":"role"},"secretRef":{"name":"creds","key":"secret"}}}`, ""},
		"userPass":  {`{"userPass":{"username":"ada","secretRef":{"name":"creds","key":"password"}}}`, ""},
		"jwt":       {`{"jwt":{"role":"app","secretRef":{"name":"creds","key":"jwt"}}}`, ""},
		"no secret": {`{"appRole":{"roleRef":{"name":"creds","key":"role"},"secretRef":{"name":"creds","key":"wrong"}}}`, "auth/approle/login"},
		"password":  {`{"userPass":{"username":"ada","secretRef":{"name":"creds","key":"wrong"}}}`, "auth/userpass/login/ada"},
		"audience":  {`{"jwt":{"role":"app","secretRef":{"name":"creds","key":"other"}}}`, "auth/jwt/login"},
		"token":     {`{"tokenSecretRef":{"name":"creds","key":"wrong"}}`, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := opened(t, v, `{"path":"secret","auth":`+tc.auth+`}`, creds)
			if err == nil {
				_, err = p.Read(t.Context(), provider.Ref{Key: "db"})
			}
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted")) {
				t.Errorf("got the error %v, want %q", err, tc.err)
			}
		})
	}
}

// tokenEnds revokes the token that a store logged in with: it logs in again.
func tokenEnds(t *testing.T, v vault) {
	v.has(http.MethodPost, "sys/auth/again", map[string]any{"type": "userpass"})
	v.has(http.MethodPost, "auth/again/users/ada", map[string]any{"password": "hunter22", "token_policies": "reader"})
	v.put("db", map[string]any{"password": "p"})
	p := open(t, v, `{"path":"secret","auth":{"userPass":{"path":"again","username":"ada","secretRef":{"name":"creds","key":"password"}}}}`,
		map[string]string{"password": "hunter22"})
	for range 2 {
		if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
			t.Fatal(err)
		}
		v.has(http.MethodPost, "sys/leases/revoke-prefix/auth/again", nil)
	}
}

// creds is the one Secret that there is, of the namespace ns.
type creds map[string]string

func (c creds) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	secret, ok := into.(*corev1.Secret)
	if !ok || name.Name != "creds" {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name.Name)
	}
	secret.Data = map[string][]byte{"root": []byte("root")}
	for key, value := range c {
		secret.Data[key] = []byte(value)
	}
	return nil
}

func (creds) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nobody lists")
}

func opened(t *testing.T, v vault, config string, all map[string]string) (provider.Reader, error) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(config), &fields); err != nil {
		t.Fatal(err)
	}
	fields["server"] = v.address
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return kv.Open(t.Context(), text, store.NewShelf(store.Cluster{Objects: creds(all)}, nil).Around("ns"))
}

func open(t *testing.T, v vault, config string, all map[string]string) provider.Reader {
	t.Helper()
	p, err := opened(t, v, config, all)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// key signs tokens.
type key ed25519.PrivateKey

// newKey is one, with its public half in PEM.
func newKey(t *testing.T) (key, string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return key(private), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func (k key) sign(t *testing.T, audience string) string {
	t.Helper()
	claims, err := json.Marshal(map[string]any{"iss": "tests", "sub": "app", "aud": audience, "nbf": time.Now().Add(-time.Minute).Unix(), "exp": time.Now().Add(time.Hour).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	of := base64.RawURLEncoding
	head := of.EncodeToString([]byte(`{"alg":"EdDSA","typ":"JWT"}`)) + "." + of.EncodeToString(claims)
	return head + "." + of.EncodeToString(ed25519.Sign(ed25519.PrivateKey(k), []byte(head)))
}
