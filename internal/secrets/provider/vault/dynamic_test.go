package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/secrets/lease"
)

// spec is one of a VaultDynamicSecret of this server, whose user logs in with a password.
func (s *issuer) spec(more string) json.RawMessage {
	return s.specAs(`{"userPass":{"username":"ada","secretRef":{"name":"creds","key":"secret"}}}`, more)
}

func (s *issuer) specAs(auth, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"provider":{"server":%q,"auth":%s},"retrySettings":{"maxRetries":0},%s}`, s.URL, auth, more))
}

const database = `"path":"/database/creds/app"`

// lent are credentials that a Dynamic made.
func (s *issuer) lent(t *testing.T, d *Dynamic, spec json.RawMessage) lease.Lease {
	t.Helper()
	values, l, err := d.Lend(t.Context(), spec, around(credentials))
	if err != nil || l == nil || len(values["password"]) == 0 || len(values) != 2 {
		t.Fatalf("got %v, %v, %v", values, l, err)
	}
	return *l
}

func (s *issuer) renewed(t *testing.T, d *Dynamic, l lease.Lease) lease.Lease {
	t.Helper()
	l, err := d.Renew(t.Context(), s.spec(database), around(credentials), l)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestDynamicValues(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, spec string
		want         map[string]string
		leased       bool
		asked        string
	}{
		"get":        {"an entry that has no lease", `"path":"kv/app"`, map[string]string{"text": "a", "number": "12345678901234567890", "list": `["b"]`, "none": "", "query": ""}, false, "GET /v1/kv/app"},
		"parameters": {"in a query", `"path":"kv/app","method":"get","getParameters":{"a":["1","2"]}`, map[string]string{"text": "a", "number": "12345678901234567890", "list": `["b"]`, "none": "", "query": "a=1&a=2"}, false, "GET /v1/kv/app?a=1&a=2"},
		"write":      {"a request with a body", `"path":"kv/app","method":"POST","parameters":{"ttl":9007199254740993}`, map[string]string{"text": "a", "number": "12345678901234567890", "list": `["b"]`, "none": "", "query": ""}, false, `PUT /v1/kv/app {"ttl":9007199254740993}`},
		"auth": {"a token, that has an end", `"path":"auth/token/create","method":"POST","resultType":"Auth"`, map[string]string{
			"client_token": "child", "accessor": "c", "lease_duration": "60", "renewable": "true", "policies": "", "token_policies": "", "identity_policies": "", "metadata": "", "orphan": "false", "entity_id": "", "mfa_requirement": "",
		}, true, "PUT /v1/auth/token/create null"},
		"empty": {"nothing, where that is meant", `"path":"empty","method":"DELETE","allowEmptyResponse":true`, map[string]string{}, false, "DELETE /v1/empty"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newIssuer(t)
			values, l, err := NewDynamic(s.clock).Lend(t.Context(), s.spec(tc.spec), around(credentials))
			if err != nil || (l != nil) != tc.leased {
				t.Fatalf("%s: %v, %v", tc.reason, l, err)
			}
			got := map[string]string{}
			for key, text := range values {
				got[key] = string(text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !slices.Contains(s.asked, tc.asked) {
				t.Errorf("asked %q", s.asked)
			}
			if _, tokens := s.has(); tokens != 0 && !tc.leased {
				t.Errorf("%d tokens are left", tokens)
			}
		})
	}
	s := newIssuer(t)
	values, _, err := NewDynamic(s.clock).Lend(t.Context(), s.spec(`"path":"database/creds/app","resultType":"Raw"`), around(credentials))
	if keys := slices.Sorted(maps.Keys(values)); err != nil || !slices.Contains(keys, "lease_id") || !strings.Contains(string(values["data"]), "username") {
		t.Errorf("raw: %v, %v", keys, err)
	}
}

func TestDynamicSecretsThatThereAreNot(t *testing.T) {
	s := newIssuer(t)
	for name, tc := range map[string]struct{ reason, spec, want string }{
		"path":    {"no path", `"method":"GET"`, "spec.path is empty"},
		"up":      {"a path out of the engine", `"path":"database/../sys/mounts"`, "spec.path"},
		"method":  {"a method that there is not", `"path":"x","method":"BREW"`, `spec.method "BREW"`},
		"type":    {"a part that there is not", `"path":"x","resultType":"All"`, "Data, Auth and Raw"},
		"pause":   {"a pause that is none", `"path":"x","retrySettings":{"retryInterval":"soon"}`, "retryInterval"},
		"form":    {"a field of another type", `"path":["hunter22"]`, "does not fit"},
		"absent":  {"a path that Vault does not have", `"path":"nope"`, "no answer for nope"},
		"empty":   {"an empty answer", `"path":"empty"`, "no answer for empty"},
		"no auth": {"an answer without the part", `"path":"kv/app","resultType":"Auth"`, "has no auth"},
	} {
		t.Run(name, func(t *testing.T) {
			_, l, err := NewDynamic(s.clock).Lend(t.Context(), s.spec(tc.spec), around(credentials))
			if err == nil || l != nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s: got %v, %v", tc.reason, l, err)
			}
		})
	}
	if _, tokens := s.has(); tokens != 0 {
		t.Errorf("%d tokens are left of what failed", tokens)
	}
	if _, _, err := NewDynamic(nil).Lend(t.Context(), s.specAs(`{"userPass":{"username":"eve","secretRef":{"name":"creds","key":"secret"}}}`, database), around(credentials)); err == nil || !strings.Contains(err.Error(), "spec.provider.auth") {
		t.Errorf("a login that is refused: %v", err)
	}
}

// TestLeasesAreRenewedUntilTheirLongestTime follows one through a day.
func TestLeasesAreRenewedUntilTheirLongestTime(t *testing.T) {
	s := newIssuer(t)
	s.token = 90 * time.Minute // ends before the lease does, unless it is renewed too
	d := NewDynamic(s.clock)
	l := s.lent(t, d, s.spec(database))
	if !l.Renewable || l.Final || l.Span != 3600 || !l.End().Equal(s.clock().Add(time.Hour)) {
		t.Fatalf("made: %+v", l)
	}
	for n := 0; !l.Final; n++ {
		if n > 60 {
			t.Fatalf("renewed for ever: %+v", l)
		}
		s.pass(l.Next().Sub(s.clock()))
		if l = s.renewed(t, d, l); l.End().Before(s.clock().Add(10 * time.Minute)) {
			t.Fatalf("at %s it ends at %s", s.clock(), l.End())
		}
	}
	if age := s.clock().Sub(l.Made); age < 22*time.Hour || age > 24*time.Hour {
		t.Errorf("it is final after %s", age)
	}
	if left := l.End().Sub(l.Next()); left < 10*time.Minute {
		t.Errorf("who uses it has %s when it is replaced", left)
	}
	if err := d.Revoke(t.Context(), s.spec(database), around(credentials), l); err != nil {
		t.Fatal(err)
	}
	if leases, tokens := s.has(); len(leases)+tokens != 0 {
		t.Errorf("left are %v, and %d tokens", leases, tokens)
	}
}

// TestWhatCannotBeRenewed has an end of its own.
func TestWhatCannotBeRenewed(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		set    func(s *issuer)
		end    time.Duration
	}{
		"lease": {"the server says so", func(s *issuer) { s.fixed = true }, time.Hour},
		"batch": {"a token of a batch ends it, and cannot be renewed", func(s *issuer) { s.batch, s.token = true, 20*time.Minute }, 20 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := newIssuer(t)
			tc.set(s)
			d := NewDynamic(s.clock)
			l := s.lent(t, d, s.spec(database))
			if !l.Final || !l.End().Equal(s.clock().Add(tc.end)) {
				t.Errorf("%s: %+v", tc.reason, l)
			}
			if err := d.Revoke(t.Context(), nil, around(credentials), l); err != nil {
				t.Fatal(err)
			}
			if leases, _ := s.has(); len(leases) != 0 {
				t.Errorf("%s: left are %v", tc.reason, leases)
			}
		})
	}
}

// TestAnotherEngineGoesOn has a lease of one that ended: it is renewed with another login, and ends with the first token.
func TestAnotherEngineGoesOn(t *testing.T) {
	s := newIssuer(t)
	s.token = 2 * time.Hour
	l := s.lent(t, NewDynamic(s.clock), s.spec(database))
	ends := s.clock().Add(s.token)
	s.pass(30 * time.Minute)
	d := NewDynamic(s.clock)
	if l = s.renewed(t, d, l); l.Final || !l.Ends.Equal(s.clock().Add(time.Hour)) || !l.TokenEnds.Equal(ends) {
		t.Fatalf("adopted: %+v", l)
	}
	s.pass(40 * time.Minute)
	if l = s.renewed(t, d, l); !l.Final || !l.End().Equal(ends) || l.Due(s.clock()) {
		t.Errorf("renewed once more: %+v", l)
	}
	if leases, _ := s.has(); len(leases) != 1 {
		t.Fatalf("there are %v", leases)
	}
	// Of the session that is not the lease's, the token has ended too.
	s.change(func() { s.tokens = map[string]*time.Time{"given": nil} })
	if err := d.Revoke(t.Context(), nil, around(credentials), l); err != nil {
		t.Fatal(err)
	}
	if leases, tokens := s.has(); len(leases)+tokens != 0 {
		t.Errorf("left are %v, and %d tokens", leases, tokens)
	}
}

func TestFaultsOfRenewals(t *testing.T) {
	refuse := func(code int, path, said string) func(*issuer) {
		return func(s *issuer) {
			s.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, path) {
					return false
				}
				say(w, code, map[string]any{"errors": []string{said}})
				return true
			}
		}
	}
	for name, tc := range map[string]struct {
		reason       string
		fault        func(s *issuer)
		over, failed bool
		final        bool
	}{
		"refused":       {"who may not renew leaves them to end", refuse(http.StatusForbidden, "leases/renew", "permission denied"), false, false, true},
		"not renewable": {"as does a server that does not renew them", refuse(http.StatusBadRequest, "leases/renew", "lease is not renewable"), false, false, true},
		"unknown":       {"a lease that is gone has ended", func(s *issuer) { s.leases = map[string]*issued{} }, true, false, false},
		"token ended":   {"a token that is gone has ended all that it made", func(s *issuer) { s.end("login-1") }, true, false, false},
		"throttled":     {"a server that wants less goes on later", refuse(http.StatusTooManyRequests, "leases/renew", "slow down"), false, true, false},
		"sealed":        {"so does one that is sealed", refuse(http.StatusServiceUnavailable, "", "Vault is sealed"), false, true, false},
		"database":      {"or that cannot reach what the credentials are for", refuse(http.StatusBadRequest, "leases/renew", "failed to renew entry: resp: nil err: connection refused"), false, true, false},
		"broken":        {"or whose database is away", refuse(http.StatusInternalServerError, "leases/renew", "connection refused"), false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newIssuer(t)
			d := NewDynamic(s.clock)
			l := s.lent(t, d, s.spec(database))
			s.pass(40 * time.Minute)
			s.change(func() { tc.fault(s) })
			got, err := d.Renew(t.Context(), s.spec(database), around(credentials), l)
			if errors.Is(err, lease.ErrOver) != tc.over || (err != nil) != (tc.over || tc.failed) || got.Final != tc.final {
				t.Errorf("%s: %+v, %v", tc.reason, got, err)
			}
			if !tc.over && (!got.End().Equal(l.End()) || !got.Renewed.Equal(l.Renewed)) {
				t.Errorf("%s: it ends at %s", tc.reason, got.End())
			}
		})
	}
}

// TestTokensOfOthersAreNotRevoked: one that is given in a Secret stays; its policy has to permit sys/leases/revoke.
func TestTokensOfOthersAreNotRevoked(t *testing.T) {
	s := newIssuer(t)
	spec := s.specAs(`{"tokenSecretRef":{"name":"creds","key":"token"}}`, database)
	d := NewDynamic(s.clock)
	l := s.lent(t, d, spec)
	if !l.TokenEnds.IsZero() {
		t.Errorf("made: %+v", l)
	}
	if err := NewDynamic(s.clock).Revoke(t.Context(), spec, around(credentials), l); err != nil {
		t.Fatal(err)
	}
	if leases, _ := s.has(); len(leases) != 0 || s.tokens["given"] != nil {
		t.Errorf("left are %v", leases)
	}
	if _, there := s.tokens["given"]; !there {
		t.Error("the token is revoked")
	}
	s.change(func() {
		s.instead = func(w http.ResponseWriter, _ *http.Request) bool {
			say(w, http.StatusForbidden, map[string]any{"errors": []string{"permission denied"}})
			return true
		}
	})
	if err := d.Revoke(t.Context(), spec, around(credentials), l); !errors.Is(err, lease.ErrRefused) {
		t.Errorf("refused: %v", err)
	}
}

// TestForeignLeasesAreLeftAlone: who may write a Secret may not have the engine end the credentials of others.
func TestForeignLeasesAreLeftAlone(t *testing.T) {
	s := newIssuer(t)
	s.lent(t, NewDynamic(s.clock), s.spec(database))
	planted := lease.Lease{ID: "database/creds/app/1", Renewable: true, Span: 60, Renewed: s.clock(), Ends: s.clock().Add(time.Hour)}
	d, spec := NewDynamic(s.clock), s.spec(`"path":"database/creds/other"`)
	if got, err := d.Renew(t.Context(), spec, around(credentials), planted); err != nil || !got.Final {
		t.Errorf("renewed: %+v, %v", got, err)
	}
	if err := d.Revoke(t.Context(), spec, around(credentials), planted); err != nil {
		t.Error(err)
	}
	if err := d.Revoke(t.Context(), nil, around(credentials), planted); !errors.Is(err, errGone) || !errors.Is(err, lease.ErrRefused) {
		t.Errorf("without a generator: %v", err)
	}
	if leases, _ := s.has(); len(leases) != 1 {
		t.Errorf("there are %v", leases)
	}
}

// TestAnswersThatGetLost leave nothing: what Vault made ends with the token.
func TestAnswersThatGetLost(t *testing.T) {
	s := newIssuer(t)
	s.instead = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "creds") {
			return false
		}
		s.leases["database/creds/app/9"] = &issued{r.Header.Get("X-Vault-Token"), s.now, s.now.Add(time.Hour)}
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	if _, l, err := NewDynamic(s.clock).Lend(t.Context(), s.spec(database), around(credentials)); err == nil || l != nil {
		t.Errorf("got %v, %v", l, err)
	}
	if leases, tokens := s.has(); len(leases)+tokens != 0 {
		t.Errorf("left are %v, and %d tokens", leases, tokens)
	}
}

// TestTokensThatMayNotEndThemselves: the lease is revoked with another login, and a refusal is told.
func TestTokensThatMayNotEndThemselves(t *testing.T) {
	for name, also := range map[string]string{"by another login": "", "refused": "/sys/leases/revoke"} {
		t.Run(name, func(t *testing.T) {
			s := newIssuer(t)
			d := NewDynamic(s.clock)
			l := s.lent(t, d, s.spec(database))
			s.change(func() {
				s.instead = func(w http.ResponseWriter, r *http.Request) bool {
					if !strings.HasSuffix(r.URL.Path, "-self") && (also == "" || !strings.HasSuffix(r.URL.Path, also)) {
						return false
					}
					say(w, http.StatusForbidden, map[string]any{"errors": []string{"permission denied"}})
					return true
				}
			})
			s.pass(40 * time.Minute)
			if l = s.renewed(t, d, l); l.Final || !l.Ends.Equal(s.clock().Add(time.Hour)) {
				t.Errorf("renewed: %+v", l)
			}
			err := d.Revoke(t.Context(), s.spec(database), around(credentials), l)
			if errors.Is(err, lease.ErrRefused) != (also != "") || also == "" && err != nil {
				t.Errorf("got %v", err)
			}
			if leases, _ := s.has(); (len(leases) == 0) != (also == "") {
				t.Errorf("left are %v", leases)
			}
		})
	}
}

// TestTokensOfANamespaceAbove are renewed and revoked where they were made: their policies count there.
func TestTokensOfANamespaceAbove(t *testing.T) {
	s := newIssuer(t)
	above := map[string]string{}
	s.change(func() {
		s.instead = func(_ http.ResponseWriter, r *http.Request) bool {
			above[r.URL.Path] = r.Header.Get("X-Vault-Namespace")
			return false
		}
	})
	d := NewDynamic(s.clock)
	spec := json.RawMessage(strings.Replace(strings.Replace(string(s.spec(database)), `"auth":{`, `"auth":{"namespace":"team",`, 1), `"provider":{`, `"provider":{"namespace":"team/child",`, 1))
	l := s.lent(t, d, spec)
	if _, err := d.Renew(t.Context(), spec, around(credentials), l); err != nil {
		t.Fatal(err)
	}
	if err := d.Revoke(t.Context(), spec, around(credentials), l); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"/v1/auth/userpass/login/ada": "team", "/v1/auth/token/renew-self": "team", "/v1/auth/token/revoke-self": "team",
		"/v1/database/creds/app": "team/child", "/v1/sys/leases/renew": "team/child",
	}
	if diff := cmp.Diff(want, above); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatNobodyGetsIsRevoked, also where the token is somebody else's.
func TestWhatNobodyGetsIsRevoked(t *testing.T) {
	s := newIssuer(t)
	spec := s.specAs(`{"tokenSecretRef":{"name":"creds","key":"token"}}`, database+`,"resultType":"Auth"`)
	if _, l, err := NewDynamic(s.clock).Lend(t.Context(), spec, around(credentials)); err == nil || l != nil {
		t.Errorf("got %v, %v", l, err)
	}
	if leases, _ := s.has(); len(leases) != 0 || s.n != 1 {
		t.Errorf("%d are made, and left are %v", s.n, leases)
	}
	s.change(func() {
		s.instead = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "revoke") {
				return false
			}
			say(w, http.StatusForbidden, map[string]any{"errors": []string{"permission denied"}})
			return true
		}
	})
	if _, _, err := NewDynamic(s.clock).Lend(t.Context(), spec, around(credentials)); err == nil || !strings.Contains(err.Error(), "until its lease ends: cannot revoke it: ") || !strings.Contains(err.Error(), "has no auth") {
		t.Errorf("refused: %v", err)
	}
}

// TestSessionsAreForgotten, whatever year a Secret tells of.
func TestSessionsAreForgotten(t *testing.T) {
	s := newIssuer(t)
	s.token = 10_000 * time.Hour
	d := NewDynamic(s.clock)
	l := s.lent(t, NewDynamic(s.clock), s.spec(database))
	l.Renewable, l.Ends = false, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	s.renewed(t, d, l)
	s.pass(2 * longestKept)
	s.lent(t, d, s.spec(database))
	if len(d.sessions) != 1 {
		t.Errorf("%d sessions are kept", len(d.sessions))
	}
}
