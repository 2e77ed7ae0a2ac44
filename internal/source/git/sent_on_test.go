package git

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Where a server sends on who signs in, only another spelling of the address is
// followed: to any other one the credential is not the server's to send.
func TestWhereServersSendOn(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, to string // a Location, in which HOST is the server
		spelled    string // what is asked from now on
		moved      bool
		says       string
	}{
		"Ending":   {"another ending is the same repository", "http://HOST/org/x.git" + question, "http://me@HOST/org/x.git", false, ""},
		"Letters":  {"and so are other letters", "http://HOST/Org/X" + question, "http://me@HOST/Org/X", false, ""},
		"Relative": {"an address may leave the server out", "/org/x.git" + question, "http://me@HOST/org/x.git", false, ""},
		"Moved":    {"another repository is told", "http://HOST/new/x" + question, "", true, "its server sends on to http://HOST/new/x, and the repository's credential is not sent there; write http://HOST/new/x as the repository's address"},
		"Host":     {"as is another server", "http://evil.example.org/org/x" + question, "", true, "sends on to http://evil.example.org/org/x"},
		"User":     {"whoever signs in there", "http://you:hunter2@HOST/new/x" + question, "", true, "sends on to http://HOST/new/x,"},
		"Page":     {"a page to sign in at is no repository", "http://HOST/login?to=x", "", false, "its server sends on to http://HOST/login, which is no repository; check repoURL, and the credentials in the repository Secret"},
		"Scheme":   {"nor is what is no web server", "ssh://HOST/org/x" + question, "", false, "which is no repository"},
	} {
		t.Run(name, func(t *testing.T) {
			var host string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				user, password, _ := r.BasicAuth()
				if r.URL.RequestURI() != "/org/x"+question || user != "me" || password != "s3cret" || !strings.HasPrefix(r.UserAgent(), "git/") {
					t.Errorf("asked for %s by %s", r.URL, user)
				}
				w.Header().Set("Location", strings.ReplaceAll(tc.to, "HOST", host))
				w.WriteHeader(http.StatusMovedPermanently)
			}))
			t.Cleanup(server.Close)
			host = strings.TrimPrefix(server.URL, "http://")
			at, err := address.Parse("http://me:s3cret@" + host + "/org/x")
			if err != nil {
				t.Fatal(err)
			}
			r := NewRemote(&Store{command: &Command{timeout: time.Minute}}, at, nil)
			err = r.elsewhere(t.Context(), access.Credential{}, errExit)
			if tc.says == "" {
				if got, want := r.spelling().String(), strings.ReplaceAll(tc.spelled, "HOST", host); err != nil || got != want || r.spelling().Password != "s3cret" {
					t.Errorf("%s: asked at %s, want %s: %v", tc.reason, got, want, err)
				}
				return
			}
			moved := (*Moved)(nil)
			if says := strings.ReplaceAll(tc.says, "HOST", host); errors.As(err, &moved) != tc.moved || !gitops.IsProblem(err, gitops.Refused) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: got %v, want %q", tc.reason, err, says)
			}
			if r.spelled.Load() != nil {
				t.Errorf("%s: it is asked there from now on", tc.reason)
			}
		})
	}
}

// What a server that sends nobody on says is told as git tells it.
func TestServersThatSendNobodyOn(t *testing.T) {
	for reason, answer := range map[string]http.HandlerFunc{
		"it answers":         func(http.ResponseWriter, *http.Request) {},
		"it refuses":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"it does not say to": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) },
	} {
		server := httptest.NewServer(answer)
		t.Cleanup(server.Close)
		at, err := address.Parse(server.URL + "/org/x")
		if err != nil {
			t.Fatal(err)
		}
		r := NewRemote(&Store{command: &Command{timeout: time.Minute}}, at, nil)
		if err := r.elsewhere(t.Context(), access.Credential{Password: "x"}, errExit); !errors.Is(err, errExit) || r.spelled.Load() != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
