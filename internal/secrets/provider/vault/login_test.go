package vault

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

func TestLogins(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct{ reason, auth, want, err string }{
		"token":         {"a token is given", `{"tokenSecretRef":{"name":"creds","key":"token"}}`, "", ""},
		"appRole":       {"a role and its secret", `{"appRole":{"roleId":"role-1","secretRef":{"name":"creds","key":"secret"}}}`, `auth/approle/login {"role_id":"role-1","secret_id":"s-e-c-r-e-t"}`, ""},
		"appRole, ref":  {"a role that a Secret names", `{"appRole":{"path":"/ci/","roleRef":{"name":"creds","key":"id"},"secretRef":{"name":"creds","key":"secret"}}}`, `auth/ci/login {"role_id":"role-1","secret_id":"s-e-c-r-e-t"}`, ""},
		"kubernetes":    {"a token of a service account", `{"kubernetes":{"role":"app","serviceAccountRef":{"name":"sa","audiences":["x"]}}}`, `auth/kubernetes/login {"jwt":"jwt of ns/sa for x","role":"app"}`, ""},
		"kubernetes, s": {"or one of a Secret", `{"kubernetes":{"mountPath":"k8s","role":"app","secretRef":{"name":"creds"}}}`, `auth/k8s/login {"jwt":"given","role":"app"}`, ""},
		"jwt":           {"any token", `{"jwt":{"role":"app","secretRef":{"name":"creds","key":"jwt"}}}`, `auth/jwt/login {"jwt":"a.b.c","role":"app"}`, ""},
		"jwt of ours":   {"one that is made for Vault", `{"jwt":{"path":"oidc","kubernetesServiceAccountToken":{"serviceAccountRef":{"name":"sa"}}}}`, `auth/oidc/login {"jwt":"jwt of ns/sa for vault"}`, ""},
		"jwt for":       {"or for somebody else", `{"jwt":{"kubernetesServiceAccountToken":{"serviceAccountRef":{"name":"sa"},"audiences":["y"]}}}`, `auth/jwt/login {"jwt":"jwt of ns/sa for y"}`, ""},
		"userPass":      {"a name and a password", `{"userPass":{"username":"ada","secretRef":{"name":"creds","key":"secret"}}}`, `auth/userpass/login/ada {"password":"s-e-c-r-e-t"}`, ""},
		"ldap":          {"of a directory", `{"ldap":{"path":"ad","username":" ada ","secretRef":{"name":"creds","key":"secret"}}}`, `auth/ad/login/ada {"password":"s-e-c-r-e-t"}`, ""},
		"wrong":         {"what is refused, without what was said", `{"appRole":{"roleId":"role-1","secretRef":{"name":"creds","key":"wrong"}}}`, `auth/approle/login {"role_id":"role-1","secret_id":"wrong-hunter22"}`, "cannot log in at auth/approle/login: the server answers 400 Bad Request: invalid credentials"},
		"wrong, pass":   {"also of passwords", `{"userPass":{"username":"ada","secretRef":{"name":"creds","key":"wrong"}}}`, `auth/userpass/login/ada {"password":"wrong-hunter22"}`, "cannot log in at auth/userpass/login/ada"},
		"no key":        {"a key that there is not", `{"appRole":{"roleId":"r","secretRef":{"name":"creds","key":"nope"}}}`, "", "appRole.secretRef: Secret ns/creds has no key"},
		"no role":       {"a role's key that there is not", `{"appRole":{"roleRef":{"name":"nope","key":"id"},"secretRef":{"name":"creds","key":"secret"}}}`, "", "appRole.roleRef: Secret ns/nope does not exist"},
		"no token":      {"a token that there is not", `{"tokenSecretRef":{"name":"nope","key":"token"}}`, "", "auth: Secret ns/nope does not exist"},
		"no method":     {"no method", `{}`, "", "it names no method"},
		"half a method": {"a method that says nothing", `{"kubernetes":{"role":"app"}}`, "", "set serviceAccountRef or secretRef"},
		"half a jwt":    {"a token of nowhere", `{"jwt":{"role":"app"}}`, "", "set kubernetesServiceAccountToken or secretRef"},
		"no password":   {"a name without a password", `{"userPass":{"username":"ada"}}`, "", "userpass: set secretRef"},
		"gcp":           {"what is not supported says so", `{"gcp":{"role":"app"}}`, "", "not supported yet"},
		"iam":           {"a role of AWS alone says nothing to Vault", `{"iam":{"region":"eu"}}`, "", "iam: vaultRole is empty"},
		"iam, nobody":   {"who is nobody at AWS", `{"iam":{"vaultRole":"app"}}`, "", "iam: set auth.secretRef or auth.jwt"},
		"iam, region":   {"a region that is another server", `{"iam":{"vaultRole":"app","region":"x.example.com/"}}`, "", "region"},
	} {
		t.Run(name, func(t *testing.T) {
			s.mu.Lock()
			s.logins = nil
			s.mu.Unlock()
			p, err := s.open(t, `{"path":"secret","auth":`+tc.auth+`}`, credentials)
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "hunter22") || !strings.HasPrefix(err.Error(), "auth")) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.err)
			}
			if got := strings.Join(s.logins, "; "); got != tc.want {
				t.Errorf("%s: said %q, want %q", tc.reason, got, tc.want)
			}
			if err != nil {
				return
			}
			if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestCertificateLogin shows a certificate to a server that wants one.
func TestCertificateLogin(t *testing.T) {
	s := newServer(t)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	secure.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	secure.StartTLS()
	defer secure.Close()
	bundle, err := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	if err != nil {
		t.Fatal(err)
	}
	certificate, key := pair(t, "ada")
	_, other := pair(t, "eve")
	all := secrets{"pair": {"crt": certificate, "key": key, "other": other}, "creds": credentials["creds"]}
	config := func(bundle, keyName string) string {
		return fmt.Sprintf(`{"server":%q,"path":"secret","caBundle":%s,"auth":{"cert":{"vaultRole":"web","clientCert":{"name":"pair","key":"crt"},"secretRef":{"name":"pair","key":%q}}}}`, secure.URL, bundle, keyName)
	}
	p := s.opened(t, config(string(bundle), "key"), all)
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil || s.logins[0] != `auth/cert/login {"name":"web"} ada` {
		t.Errorf("%v, logged in with %q", err, s.logins)
	}
	for name, text := range map[string]string{"do not belong together": config(string(bundle), "other"), "certificate": config("null", "key"), "no certificate in PEM": config(`"aHVudGVyMjI="`, "key")} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := Open(ctx, json.RawMessage(text), around(all))
		cancel()
		if err == nil || !strings.Contains(err.Error(), name) && !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "BEGIN") {
			t.Errorf("%s: %v", name, err)
		}
	}
	half := fmt.Sprintf(`{"server":%q,"caBundle":%s,"tls":{"certSecretRef":{"name":"pair","key":"crt"}}}`, secure.URL, bundle)
	if _, err := s.open(t, half, all); err == nil || !strings.Contains(err.Error(), "needs certSecretRef and keySecretRef") {
		t.Errorf("half a pair: %v", err)
	}
}

// TestTokensThatEnd: a token may end at any moment, also between two pages of a search.
func TestTokensThatEnd(t *testing.T) {
	for name, use := range map[string]func(provider.Reader) error{
		"read": func(p provider.Reader) error {
			_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
			return err
		},
		"find": func(p provider.Reader) error {
			found, err := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "team"}})
			if err == nil && len(found) != 3 {
				err = fmt.Errorf("found %d", len(found))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			p := s.opened(t, byRole, credentials)
			s.revoke()
			if err := use(p); err != nil {
				t.Errorf("a token that was revoked: %v", err)
			}
			asked := 0
			s.answers(func(http.ResponseWriter, *http.Request) bool {
				if asked++; asked == 2 {
					s.tokens = map[string]bool{}
				}
				return false
			})
			if err := errors.Join(use(p), use(p)); err != nil {
				t.Errorf("a token that is revoked in the middle: %v", err)
			}
			s.answers(func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasPrefix(r.URL.Path, "/v1/auth/") {
					say(w, http.StatusForbidden, map[string]any{"errors": []string{"the role is gone, s-e-c-r-e-t"}})
					return true
				}
				return false
			})
			s.revoke()
			if err := use(p); err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "cannot log in") || strings.Contains(err.Error(), "s-e-c-r-e-t") {
				t.Errorf("a role that is gone: %v", err)
			}
		})
	}
}

// TestGivenTokensThatChange: who puts a new token into the Secret does not have to touch the store.
func TestGivenTokensThatChange(t *testing.T) {
	s, all := newServer(t), secrets{"creds": {"token": "given"}}
	p := s.opened(t, byToken, all)
	s.mu.Lock()
	s.tokens = map[string]bool{"new": true}
	s.mu.Unlock()
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err == nil || !strings.Contains(err.Error(), "403 Forbidden: permission denied") {
		t.Errorf("the old token: %v", err)
	}
	if _, requests := s.count(); requests != 1 {
		t.Errorf("a token that is refused was tried %d times", requests)
	}
	all["creds"]["token"] = "new"
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Errorf("the new token: %v", err)
	}
}

// TestLeases: a token is replaced before it ends, and once for all who use it.
func TestLeases(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		lease  int
		passes bool
		want   int
	}{
		"lasts":     {"a token without an end is used for ever", 0, true, 1},
		"long":      {"a token that is new is kept", 3600, false, 1},
		"near over": {"one near its end is replaced, once", 3600, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.lease = tc.lease
			p := s.opened(t, byRole, credentials).(*Provider)
			if tc.passes && !p.until.IsZero() {
				p.until = time.Now().Add(-time.Second)
			}
			var wait sync.WaitGroup
			for range 20 {
				wait.Go(func() {
					if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			if logins, _ := s.count(); logins != tc.want {
				t.Errorf("%s: %d logins, want %d", tc.reason, logins, tc.want)
			}
		})
	}
	s := newServer(t)
	p := s.opened(t, byRole, credentials)
	s.revoke()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if logins, _ := s.count(); logins > 4 {
		t.Errorf("one token that ended is %d logins", logins)
	}
}

// TestForbiddenPaths: a path that the policy does not admit is no reason to log in again at each try, as each login
// has a lease.
func TestForbiddenPaths(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, byRole, credentials)
	for range 5 {
		if _, err := p.Read(t.Context(), provider.Ref{Key: "forbidden"}); err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "403 Forbidden: permission denied") {
			t.Errorf("got %v", err)
		}
	}
	if logins, _ := s.count(); logins != 1 {
		t.Errorf("%d logins", logins)
	}
	s.revoke()
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Errorf("a token that was revoked: %v", err)
	}
	if logins, _ := s.count(); logins != 2 {
		t.Errorf("%d logins", logins)
	}
}
