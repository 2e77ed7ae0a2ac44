package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

func TestRead(t *testing.T) {
	s := newServer(t)
	second, bare, first := s.opened(t, byToken, credentials), s.opened(t, strings.Replace(byToken, `"path":"secret",`, "", 1), credentials),
		s.opened(t, strings.Replace(byToken, `"path":"secret"`, `"path":"old","version":"v1"`, 1), credentials)
	for name, tc := range map[string]struct {
		reason   string
		of       provider.Reader
		ref      provider.Ref
		property string
		want     string
		is       error
		err      string
	}{
		"field":             {"a field of the latest version", second, provider.Ref{Key: "db"}, "password", "s3cret<&>", nil, ""},
		"number":            {"a large number keeps its digits", second, provider.Ref{Key: "db"}, "serial", "12345678901234567890", nil, ""},
		"inner":             {"a path into a field", second, provider.Ref{Key: "db"}, "inner.a", "b", nil, ""},
		"version":           {"of a version that is named", second, provider.Ref{Key: "db", Version: "1"}, "", `{"password":"old"}`, nil, ""},
		"no version":        {"a version that there is not", second, provider.Ref{Key: "db", Version: "9"}, "", "", entry.ErrNotFound, ""},
		"bad version":       {"a version that is none is no absence", second, provider.Ref{Key: "db", Version: "x"}, "", "", nil, "400 Bad Request: error converting"},
		"deleted":           {"a version that is deleted is gone", second, provider.Ref{Key: "gone"}, "", "", entry.ErrNotFound, "is deleted"},
		"before deleted":    {"the one before it is not", second, provider.Ref{Key: "gone", Version: "1"}, "a", "b", nil, ""},
		"absent":            {"an entry that there is not", second, provider.Ref{Key: "nope"}, "", "", entry.ErrNotFound, "secret/data/nope"},
		"no field":          {"a field that there is not, of an entry that is there", second, provider.Ref{Key: "db"}, "nope", "", nil, `no such property: "nope"`},
		"with engine":       {"a key may begin with the engine's path", second, provider.Ref{Key: "secret/db"}, "password", "s3cret<&>", nil, ""},
		"with data":         {"and with data", second, provider.Ref{Key: "/secret/data/db/"}, "password", "s3cret<&>", nil, ""},
		"engine in the key": {"without a path, the key's first part is the engine's", bare, provider.Ref{Key: "secret/db"}, "password", "s3cret<&>", nil, ""},
		"and data":          {"also with data", bare, provider.Ref{Key: "secret/data/db"}, "password", "s3cret<&>", nil, ""},
		"signs":             {"signs of addresses in a key", second, provider.Ref{Key: "a b/c?d#e%41"}, "v", "signs", nil, ""},
		"large":             {"a megabyte", second, provider.Ref{Key: "large"}, "v", strings.Repeat("x", 1<<20), nil, ""},
		"metadata":          {"the custom metadata", second, provider.Ref{Key: "team/three", Metadata: true}, "", `{"env":"prod"}`, nil, ""},
		"no metadata":       {"of an entry without", second, provider.Ref{Key: "db", Metadata: true}, "", `{}`, nil, ""},
		"metadata of none":  {"of an entry that there is not", second, provider.Ref{Key: "nope", Metadata: true}, "", "", entry.ErrNotFound, ""},
		"first":             {"an engine of version 1", first, provider.Ref{Key: "db"}, "password", "v1", nil, ""},
		"first, data":       {"whose entries may have a field data", first, provider.Ref{Key: "old/db"}, "data", "a field", nil, ""},
		"first, version":    {"and no versions", first, provider.Ref{Key: "db", Version: "1"}, "password", "v1", nil, ""},
		"first, absent":     {"an entry that there is not", first, provider.Ref{Key: "nope"}, "", "", entry.ErrNotFound, ""},
		"first, metadata":   {"it has no metadata", first, provider.Ref{Key: "db", Metadata: true}, "", "", nil, "has no metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := tc.of.Read(t.Context(), tc.ref)
			var got []byte
			if err == nil {
				got, err = one.Value(tc.property)
			}
			if (err != nil) != (tc.is != nil || tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || errors.Is(err, entry.ErrNotFound) != (tc.is != nil)) {
				t.Fatalf("%s: got the error %v, want %q (%v)", tc.reason, err, tc.err, tc.is)
			}
			if string(got) != tc.want {
				t.Errorf("%s: got %.100q, want %.100q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestVersions: an entry of version 2 tells which of its versions it is.
func TestVersions(t *testing.T) {
	s := newServer(t)
	second, first := s.opened(t, byToken, credentials), s.opened(t, strings.Replace(byToken, `"path":"secret"`, `"path":"old","version":"v1"`, 1), credentials)
	for name, tc := range map[string]struct {
		of   provider.Reader
		ref  provider.Ref
		want string
	}{
		"latest": {second, provider.Ref{Key: "db"}, "2"}, "named": {second, provider.Ref{Key: "db", Version: "1"}, "1"},
		"metadata": {second, provider.Ref{Key: "db", Metadata: true}, ""}, "first": {first, provider.Ref{Key: "db"}, ""},
	} {
		if one, err := tc.of.Read(t.Context(), tc.ref); err != nil || one.Version != tc.want {
			t.Errorf("%s: version %q, %v; want %q", name, one.Version, err, tc.want)
		}
	}
}

// TestWhatIsNoAbsence: with a DeletionPolicy, an entry that is absent has its Secret deleted. What stands before Vault,
// or in its place, says nothing of entries.
func TestWhatIsNoAbsence(t *testing.T) {
	text := func(code int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, "/v1/auth/") {
				return false
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	for name, tc := range map[string]struct {
		reason  string
		answers func(http.ResponseWriter, *http.Request) bool
		want    string
	}{
		"no engine":       {"an engine that is not mounted any more", text(404, `{"errors":["no handler for route \"secret/data/db\". route entry not found."]}`), "no handler for route"},
		"404 page":        {"the page of a proxy", text(404, "<html>hunter22</html>"), "404 Not Found"},
		"404 of nothing":  {"a proxy's answer without a body", text(404, ""), "404 Not Found"},
		"404 of a router": {"that of a router", text(404, `{"message":"no Route matched hunter22"}`), "404 Not Found"},
		"page":            {"a page in place of an answer", text(200, "<html>hunter22</html>"), "what is not Vault's"},
		"nothing":         {"nothing", text(200, ""), "200 OK"},
		"no content":      {"no content", text(204, ""), "204 No Content"},
		"half":            {"half an answer", text(200, `{"data":{"data":{"password":"hunter22`), "what is not Vault's"},
		"empty object":    {"an object of nothing", text(200, `{}`), "without data"},
		"null":            {"null", text(200, `null`), "without data"},
		"other object":    {"another server's object", text(200, `{"status":"hunter22"}`), "without data"},
		"no version 2":    {"an engine that is none of version 2", text(200, `{"data":{"password":"hunter22"}}`), "none of a KV engine of version 2"},
		"data are a text": {"data that are no fields", text(200, `{"data":{"data":"hunter22","metadata":{"destroyed":false,"deletion_time":""}}}`), "none of a KV engine of version 2"},
		"forbidden":       {"a policy that does not admit it", text(403, `{"errors":["1 error occurred:\n\t* permission denied\n\n"]}`), "403 Forbidden: 1 error occurred: * permission denied"},
		"bad request":     {"a request that is none", text(400, `{"errors":["missing client token"]}`), "400 Bad Request: missing client token"},
		"400 page":        {"a page of errors is not quoted", text(400, "<html>hunter22</html>"), "400 Bad Request"},
		"not modified":    {"what says that nothing changed", text(304, ""), "304"},
		"broken redirect": {"a redirect to nowhere", text(307, ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			p := s.opened(t, byRole, credentials)
			s.answers(tc.answers)
			_, read := p.Read(t.Context(), provider.Ref{Key: "db"})
			_, found := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "."}})
			for what, err := range map[string]error{"read": read, "find": found} {
				if err == nil && what == "find" && strings.Contains(name, "version 2") {
					continue
				}
				if err == nil || errors.Is(err, entry.ErrNotFound) || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s: got %v", tc.reason, what, err)
				}
			}
			if read != nil && !strings.Contains(read.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, read, tc.want)
			}
		})
	}
}

// TestThrottled: what passes is asked for again, and what does not is said as Vault says it.
func TestThrottled(t *testing.T) {
	for name, tc := range map[string]struct {
		code       int
		body, want string
	}{
		"throttled":    {429, `{"errors":["request path \"secret/data/db\": rate limit quota exceeded"]}`, "429 Too Many Requests: request path \"secret/data/db\": rate limit quota exceeded"},
		"broken":       {500, `{"errors":["internal error"]}`, "500 Internal Server Error: internal error"},
		"sealed":       {503, `{"errors":["Vault is sealed"]}`, "503 Service Unavailable: Vault is sealed"},
		"bad gateway":  {502, "<html>hunter22</html>", "502 Bad Gateway"},
		"standby":      {473, ``, "473"},
		"inconsistent": {412, `{"errors":["required index state not present"]}`, "412 Precondition Failed: required index state"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			p := s.opened(t, byToken, credentials)
			left := 1
			s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
				if left == 0 {
					return false
				}
				left--
				w.WriteHeader(tc.code)
				_, _ = w.Write([]byte(tc.body))
				return true
			})
			if one, err := p.Read(t.Context(), provider.Ref{Key: "db"}); tc.code != 473 && (err != nil || len(one.Text) == 0) {
				t.Errorf("once: %v", err)
			}
			s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(tc.code)
				_, _ = w.Write([]byte(tc.body))
				return true
			})
			_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
			if err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("for ever: %v", err)
			}
		})
	}
}

// TestAway has servers that cannot be reached, and one that does not answer.
func TestAway(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.opened(t, byToken, credentials)
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.Close()
		}
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.Read(ctx, provider.Ref{Key: "db"}); err == nil || errors.Is(err, entry.ErrNotFound) {
		t.Errorf("a connection that ends: %v", err)
	}
	s.Close()
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.Read(ended, provider.Ref{Key: "db"}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}

// TestEndless: the library keeps all of an answer, and of an error.
func TestEndless(t *testing.T) {
	for name, tc := range map[string]struct {
		code  int
		login bool
	}{
		"value": {http.StatusOK, false}, "absence": {http.StatusNotFound, false}, "refusal": {http.StatusBadRequest, false}, "login": {http.StatusBadRequest, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			var sent atomic.Int64
			endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tc.login != strings.HasPrefix(r.URL.Path, "/v1/auth/") {
					s.serve(w, r)
					return
				}
				w.WriteHeader(tc.code)
				_, _ = io.WriteString(w, `{"errors":["`)
				for part := strings.Repeat("x", 1<<20); sent.Load() < 1<<30; sent.Add(int64(len(part))) {
					if _, err := io.WriteString(w, part); err != nil {
						return
					}
				}
			}))
			defer endless.Close()
			p, err := s.open(t, strings.Replace(byRole, "{", `{"server":"`+endless.URL+`",`, 1), credentials)
			if err == nil {
				_, err = p.Read(t.Context(), provider.Ref{Key: "db"})
			}
			if err == nil || errors.Is(err, entry.ErrNotFound) || len(err.Error()) > 1_000 || sent.Load() > 100<<20 {
				t.Errorf("read %d MiB: %.1000v", sent.Load()>>20, err)
			}
		})
	}
}

// TestAllThatIsFound has a bound, as all of it is in memory.
func TestAllThatIsFound(t *testing.T) {
	s := newServer(t)
	for i := range 17 {
		s.second[fmt.Sprint("large/", i)] = []map[string]any{{"v": strings.Repeat("x", 1<<20)}}
	}
	p := s.opened(t, byToken, credentials)
	if _, err := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "^large/"}}); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("got %v", err)
	}
	if found, err := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "^large/1"}}); err != nil || len(found) != 8 {
		t.Errorf("found %d, %v", len(found), err)
	}
}

// TestRedirects: a node that stands by sends to the active one.
func TestRedirects(t *testing.T) {
	active, standby := newServer(t), newServer(t)
	standby.answers(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, active.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		return true
	})
	p := standby.opened(t, byToken, credentials)
	one, err := p.Read(t.Context(), provider.Ref{Key: "db", Version: "1"})
	if err != nil || string(one.Text) != `{"password":"old"}` {
		t.Errorf("%v, %s", err, one.Text)
	}
	active.answers(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, standby.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		return true
	})
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "307") {
		t.Errorf("two that send to each other: %v", err)
	}
}

func TestFind(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, byToken, credentials)
	name := func(text string) *esv1.FindName { return &esv1.FindName{RegExp: text} }
	path := func(text string) *string { return &text }
	for key, tc := range map[string]struct {
		reason string
		find   esv1.Find
		want   []string
		err    string
	}{
		"name":        {"by a pattern of the path, in all folders", esv1.Find{Name: name("^team/")}, []string{"team/app/one", "team/app/two", "team/three"}, ""},
		"deleted":     {"what is deleted is not found", esv1.Find{Name: name("^gone$")}, nil, ""},
		"none":        {"nothing is no error", esv1.Find{Name: name("^nope")}, nil, ""},
		"below":       {"below a path", esv1.Find{Name: name("."), Path: path("team/app")}, []string{"team/app/one", "team/app/two"}, ""},
		"below, anew": {"slashes around it are of no meaning", esv1.Find{Name: name("one"), Path: path("/team/app/")}, []string{"team/app/one"}, ""},
		"no folder":   {"a folder that there is not has nothing", esv1.Find{Name: name("."), Path: path("nope")}, nil, ""},
		"root":        {"the root is a path too", esv1.Find{Name: name("^db$"), Path: path("/")}, []string{"db"}, ""},
		"empty path":  {"so is an empty one", esv1.Find{Name: name("^db$"), Path: path("")}, []string{"db"}, ""},
		"tags":        {"by custom metadata", esv1.Find{Tags: map[string]string{"env": "prod"}}, []string{"team/app/one", "team/three"}, ""},
		"all tags":    {"all of them", esv1.Find{Tags: map[string]string{"env": "prod", "team": "a"}}, []string{"team/app/one"}, ""},
		"as engine":   {"in a folder that is called as the engine", esv1.Find{Name: name("inside$")}, []string{"data/inside", "inside", "secret/inside"}, ""},
		"nothing":     {"neither name nor tags", esv1.Find{}, nil, "set find.name or find.tags"},
		"both":        {"or both", esv1.Find{Name: name("."), Tags: map[string]string{"a": "b"}}, nil, "set find.name or find.tags"},
		"pattern":     {"a pattern that is none", esv1.Find{Name: name("(")}, nil, "find.name.regexp"},
	} {
		t.Run(key, func(t *testing.T) {
			found, err := p.Find(t.Context(), tc.find)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var names []string
			for name, text := range found {
				names = append(names, name)
				if want, _ := json.Marshal(s.second[name][len(s.second[name])-1]); string(want) != string(text) {
					t.Errorf("%s: %s is %s, want %s", tc.reason, name, text, want)
				}
			}
			slices.Sort(names)
			if diff := cmp.Diff(tc.want, names); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	for config, want := range map[string]string{
		strings.Replace(byToken, `"path"`, `"version":"v1","path"`, 1): "version 1 cannot be searched", strings.Replace(byToken, `"path":"secret",`, "", 1): "spec.provider.vault.path",
	} {
		if _, err := s.opened(t, config, credentials).Find(t.Context(), esv1.Find{Name: name(".")}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestListsThatAreNone: with less in a list, keys of Secrets would go.
func TestListsThatAreNone(t *testing.T) {
	endless := 0
	for name, tc := range map[string]struct {
		reason, body, want string
	}{
		"no keys":   {"data of something else", `{"data":{"entries":[]}}`, "the answer has no keys"},
		"null":      {"keys that are null", `{"data":{"keys":null}}`, "the answer has no keys"},
		"numbers":   {"keys that are no names", `{"data":{"keys":[1]}}`, "a key that is none"},
		"up":        {"a folder that is the one above", `{"data":{"keys":["../"]}}`, "a key that is none"},
		"slash":     {"a folder without a name", `{"data":{"keys":["/"]}}`, "a key that is none"},
		"for ever":  {"a folder in each folder", `{"data":{"keys":["a/"]}}`, "more than 1000 folders"},
		"no engine": {"an engine that is gone", "", "no handler for route"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			p := s.opened(t, byToken, credentials)
			s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
				endless++
				if tc.body == "" {
					say(w, 404, map[string]any{"errors": []string{"no handler for route"}})
				}
				_, _ = w.Write([]byte(tc.body))
				return true
			})
			found, err := p.Find(t.Context(), esv1.Find{Name: &esv1.FindName{RegExp: "."}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: found %d, %v; want %q", tc.reason, len(found), err, tc.want)
			}
		})
	}
}

func TestConfigurations(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct{ reason, config, want string }{
		"no server": {"no address", `{"server":""}`, "server is empty"},
		"socket":    {"a socket of the engine's machine", `{"server":"unix:///var/run/docker.sock"}`, "is no address"},
		"words":     {"words", `{"server":"vault"}`, "is no address"},
		"version":   {"a version that there is not", `{"version":"v3"}`, `version "v3" is neither v1 nor v2`},
		"no CA":     {"a certificate that is not there", `{"caProvider":{"type":"Secret","name":"nope","key":"x"}}`, "Secret ns/nope does not exist"},
		"types":     {"a field of another type", `{"path":["hunter22"]}`, "Config.path"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.open(t, tc.config, credentials); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestHeaders has what a store says of its requests, and nothing of the engine's environment.
func TestHeaders(t *testing.T) {
	for name, value := range map[string]string{"VAULT_TOKEN": "of the engine", "VAULT_NAMESPACE": "engine", "VAULT_HEADERS": `{"X-Engine":"hunter22"}`, "VAULT_ADDR": "http://127.0.0.1:1"} {
		t.Setenv(name, value)
	}
	s := newServer(t)
	var got http.Header
	s.answers(func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/v1/auth/") {
			got = r.Header.Clone()
		}
		return false
	})
	p := s.opened(t, `{"path":"secret","namespace":"team","headers":{"X-Own":"y"},"forwardInconsistent":true,"readYourWrites":true,
		"auth":{"namespace":"root","appRole":{"roleId":"r","secretRef":{"name":"creds","key":"secret"}}}}`, credentials)
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"X-Vault-Namespace": "team", "X-Own": "y", "X-Vault-Inconsistent": "forward-active-node", "X-Vault-Request": "true", "X-Engine": "", "X-Vault-Token": "token-1",
	} {
		if got.Get(header) != want {
			t.Errorf("%s is %q, want %q", header, got.Get(header), want)
		}
	}
	if !strings.HasSuffix(s.requests[0], "/auth/approle/login root") {
		t.Errorf("logged in by %q", s.requests[0])
	}
	got = nil
	anonymous := s.opened(t, `{"path":"secret"}`, credentials)
	if _, err := anonymous.Read(t.Context(), provider.Ref{Key: "db"}); err == nil || got.Get("X-Vault-Token") != "" || got.Get("X-Vault-Namespace") != "" {
		t.Errorf("without auth: %v, %v", err, got)
	}
}

// TestKeysThatLeaveTheEngine: a part of two dots goes up in an address.
func TestKeysThatLeaveTheEngine(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, byToken, credentials)
	for _, key := range []string{"../../old/db", "a/../../sys/mounts", "..", "./db", "db/.."} {
		for _, metadata := range []bool{false, true} {
			if _, err := p.Read(t.Context(), provider.Ref{Key: key, Metadata: metadata}); err == nil || !strings.Contains(err.Error(), "which no entry has") {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
	if _, requests := s.count(); requests != 0 {
		t.Errorf("%d requests", requests)
	}
}
