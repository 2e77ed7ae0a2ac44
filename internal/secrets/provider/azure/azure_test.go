package azure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

func TestRead(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, s.bySecret())
	v := func(n int) string { return fmt.Sprintf("%032d", n) }
	for name, tc := range map[string]struct {
		reason   string
		ref      provider.Ref
		property string
		want     string
		version  string
		is       error
		err      string
	}{
		"field":       {"a field of the latest version", provider.Ref{Key: "db"}, "password", "s3cret<&>", v(2), nil, ""},
		"number":      {"a large number keeps its digits", provider.Ref{Key: "secret/db"}, "serial", "12345678901234567890", v(2), nil, ""},
		"path":        {"a path into a field", provider.Ref{Key: "db"}, "inner.a", "b", v(2), nil, ""},
		"version":     {"a version", provider.Ref{Key: "db", Version: v(1)}, "password", "old", v(1), nil, ""},
		"no version":  {"one that there is not", provider.Ref{Key: "db", Version: v(9)}, "", "", "", entry.ErrNotFound, "SecretNotFound"},
		"absent":      {"a secret that there is not", provider.Ref{Key: "nope"}, "", "", "", entry.ErrNotFound, "cannot read secret/nope"},
		"no key":      {"a key that there is not", provider.Ref{Key: "key/nope"}, "", "", "", entry.ErrNotFound, "KeyNotFound"},
		"no cert":     {"a certificate that there is not", provider.Ref{Key: "cert/nope"}, "", "", "", entry.ErrNotFound, "CertificateNotFound"},
		"disabled":    {"what is disabled is no absence", provider.Ref{Key: "off"}, "", "", "", nil, "Forbidden: Operation get is not allowed on a disabled secret"},
		"text":        {"a value is no JSON", provider.Ref{Key: "text"}, "", "no JSON", v(1), nil, ""},
		"no JSON":     {"and has no property, which is no absence", provider.Ref{Key: "text"}, "a", "", "", nil, "no JSON"},
		"empty":       {"an empty value is one", provider.Ref{Key: "empty"}, "", "", v(1), nil, ""},
		"large":       {"as much as a vault keeps", provider.Ref{Key: "large"}, "", strings.Repeat("x", 25_000), v(1), nil, ""},
		"public key":  {"a public key", provider.Ref{Key: "key/signer"}, "kty", "RSA", v(1), nil, ""},
		"certificate": {"a certificate", provider.Ref{Key: "cert/site"}, "", "\x30\x82\xff", v(1), nil, ""},
		"other kind":  {"another kind", provider.Ref{Key: "storage/site"}, "", "", "", nil, "none of secret/, key/ and cert/"},
		"nothing":     {"a key is needed", provider.Ref{}, "", "", "", nil, "the key is empty"},
		"odd key":     {"a key leads nowhere else", provider.Ref{Key: "secret/../keys/x"}, "", "", "", nil, "is no name"},
		"odd version": {"nor does a version", provider.Ref{Key: "db", Version: "../x"}, "", "", "", nil, "is none"},
		"tags":        {"the tags", provider.Ref{Key: "db", Metadata: true}, "", `{"a.b":"c","env":"prod","owner":"{\"mail\":\"a@b.example\"}"}`, "", nil, ""},
		"tag":         {"one tag", provider.Ref{Key: "db", Metadata: true}, "a.b", "c", "", nil, ""},
		"in a tag":    {"a field of one", provider.Ref{Key: "db", Metadata: true}, "owner.mail", "a@b.example", "", nil, ""},
		"no tag":      {"one that there is not", provider.Ref{Key: "db", Metadata: true}, "nope", "", "", nil, "no such property"},
		"no tags":     {"of a secret without", provider.Ref{Key: "text", Metadata: true}, "", `{}`, "", nil, ""},
		"key's tags":  {"of a key", provider.Ref{Key: "key/signer", Metadata: true}, "env", "prod", "", nil, ""},
		"tags of no":  {"of what there is not", provider.Ref{Key: "cert/nope", Metadata: true}, "", "", "", entry.ErrNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := p.Read(t.Context(), tc.ref)
			var got []byte
			if err == nil {
				got, err = one.Value(tc.property)
			}
			if (err != nil) != (tc.is != nil || tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || errors.Is(err, entry.ErrNotFound) != (tc.is != nil)) {
				t.Fatalf("%s: got the error %v, want %q (%v)", tc.reason, err, tc.err, tc.is)
			}
			if string(got) != tc.want || err == nil && one.Version != tc.version {
				t.Errorf("%s: got %.100q of version %q, want %.100q of %q", tc.reason, got, one.Version, tc.want, tc.version)
			}
		})
	}
}

func find(path, name string, tags map[string]string) (f esv1.Find) {
	f.Tags = tags
	if path != "" {
		f.Path = &path
	}
	if name != "" {
		f.Name = &esv1.FindName{RegExp: name}
	}
	return f
}

func TestFind(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, s.bySecret())
	for name, tc := range map[string]struct {
		reason string
		find   esv1.Find
		want   []string
		err    string
	}{
		"name":       {"by name, over pages", find("", "^t", nil), []string{"team-one=1", "team-two=2", "text=no JSON"}, ""},
		"path":       {"by the beginning of the name", find("team", "o$", nil), []string{"team-two=2"}, ""},
		"tags":       {"by tags, as they are, and what is disabled is not there", find("", "", map[string]string{"env": "prod"}), []string{"another=a", `db={"password":"s3cret<&>","serial":12345678901234567890,"inner":{"a":"b"}}`, "team-one=1"}, ""},
		"all tags":   {"all of them", find("", ".", map[string]string{"env": "prod", "team": "a"}), []string{"team-one=1"}, ""},
		"none":       {"nothing is no error", find("", "nothing", nil), nil, ""},
		"everything": {"without either", find("team", "", nil), nil, "set find.name or find.tags"},
		"bad name":   {"no expression", find("", "(", nil), nil, "find.name.regexp"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := p.Find(t.Context(), tc.find)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			var got []string
			for name, value := range found {
				got = append(got, name+"="+string(value))
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// TestCalls: Azure counts requests. The vault is asked once more at first, for whom tokens of it are.
func TestCalls(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, s.bySecret())
	for range 2 {
		if _, err := p.Read(t.Context(), provider.Ref{Key: "text"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Find(t.Context(), find("team", ".", nil)); err != nil {
		t.Fatal(err)
	}
	want := []string{"GET /secrets/text/", "GET /secrets/text/", "GET /secrets/text/", "GET /secrets", "GET /secrets", "GET /secrets", "GET /secrets", "GET /secrets/team-one/", "GET /secrets/team-two/"}
	got := s.operations()
	slices.Sort(got[len(got)-2:]) // these are read at the same time
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if logins := len(s.told()); logins != 1 {
		t.Errorf("signed in %d times", logins)
	}
}

// TestRefusals: what Azure refuses is told apart from what is not there.
func TestRefusals(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, s.bySecret())
	s.answers(func(w http.ResponseWriter, r *http.Request) bool {
		fail(w, http.StatusForbidden, "Forbidden", "The user does not have secrets get permission, with "+r.Header.Get("Authorization"))
		return true
	})
	_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
	_, search := p.Find(t.Context(), find("", ".", nil))
	for _, err := range []error{err, search} {
		if no := (*provider.Refused)(nil); !errors.As(err, &no) || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "secrets get permission") || strings.Contains(err.Error(), "made-access-token") {
			t.Error(err)
		}
	}
	s.answers(nil)
	s.revoke()
	_, err = p.Read(t.Context(), provider.Ref{Key: "db"})
	if no := (*provider.Refused)(nil); err != nil && !errors.As(err, &no) {
		t.Errorf("a token that ended: %v", err) // the store is opened again
	}
}

func TestThrottling(t *testing.T) {
	s := newServer(t)
	p, first := s.opened(t, s.bySecret()), true
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		defer func() { first = false }()
		if first {
			fail(w, http.StatusTooManyRequests, "Throttled", "Request was not processed because too many requests were received")
		}
		return first
	})
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Error(err)
	}
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		fail(w, http.StatusTooManyRequests, "Throttled", "too many requests were received")
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := p.Read(ctx, provider.Ref{Key: "db"})
	if no := (*provider.Refused)(nil); err == nil || !strings.Contains(err.Error(), "Throttled: too many") || errors.Is(err, entry.ErrNotFound) || errors.As(err, &no) {
		t.Errorf("throttled to the end: %v", err)
	}
}

// TestWhatIsNoAnswer: half an answer, or one of somebody else, is neither a value nor an absence, and no error quotes it.
func TestWhatIsNoAnswer(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, s.bySecret())
	for name, tc := range map[string]struct {
		reason string
		answer func(w http.ResponseWriter)
		want   string
	}{
		"half": {"an answer that ends early", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"value":"hunter22`))
		}, "not a whole one"},
		"no JSON": {"an answer that is no JSON", func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"value":hunter22}`)) }, "not a whole one"},
		"other":   {"a value that is no text", func(w http.ResponseWriter) { say(w, object{"value": object{"a": "hunter22"}}) }, ""},
		"nothing": {"an object without fields", func(w http.ResponseWriter) { say(w, object{}) }, "the answer has no value"},
		"page": {"a page of a proxy", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("<html>hunter22</html>"))
		}, "the server answers 404 Not Found"},
		"redirect": {"another server", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/hunter22")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect"},
		"endless": {"more than there is memory for", func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"value":"`))
			for range 20 {
				_, _ = w.Write(bytes.Repeat([]byte("hunter22"), 1<<17))
			}
			_, _ = w.Write([]byte(`"}`))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
				tc.answer(w)
				return true
			})
			_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
			_, search := p.Find(t.Context(), find("", ".", nil))
			for _, err := range []error{err, search} {
				if err == nil || errors.Is(err, entry.ErrNotFound) || strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s: got the error %v, want %q", tc.reason, err, tc.want)
				}
			}
		})
	}
	s.answers(nil)
	s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // it is asked again
	defer cancel()
	if _, err := p.Read(ctx, provider.Ref{Key: "db"}); err == nil || !strings.Contains(err.Error(), "refused") || errors.Is(err, entry.ErrNotFound) {
		t.Errorf("a server that is gone: %v", err)
	}
}

func TestListsWithoutEnd(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, s.bySecret())
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		say(w, object{"value": []object{}, "nextLink": s.URL + "/secrets"})
		return true
	})
	if _, err := p.Find(t.Context(), find("", "x", nil)); err == nil || !strings.Contains(err.Error(), "has no end") {
		t.Error(err)
	}
}

// TestAllTags: taken as a map, tags have the name of their entry in front, so that those of several can be in one Secret.
func TestAllTags(t *testing.T) {
	s := newServer(t)
	one, err := s.opened(t, s.bySecret()).Read(t.Context(), provider.Ref{Key: "secret/db", Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	for property, want := range map[string]map[string]string{
		"":           {"db_a.b": "c", "db_env": "prod", "db_owner_mail": "a@b.example"},
		"env":        {"db_env": "prod"},
		"owner.mail": {"db_owner.mail": "a@b.example"},
	} {
		all, err := one.Map(property)
		got := map[string]string{}
		for name, value := range all {
			got[name] = string(value)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", property, err, diff)
		}
	}
}
