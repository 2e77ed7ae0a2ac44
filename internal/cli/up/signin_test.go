package up

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

func TestAPasswordStaysFromStartToStart(t *testing.T) {
	const made = "one of this start"
	for name, tc := range map[string]struct {
		reason string
		was    *local.SignIn
		own    string
		want   string
	}{
		"First":    {"there is none yet", nil, "", made},
		"FirstOwn": {"what the account came with is known to nobody here", nil, "o", made},
		"Again":    {"the account has none of its own", &local.SignIn{Password: "p"}, "", "p"},
		"AgainOwn": {"the account came with its own", &local.SignIn{Password: "p", Own: "o"}, "o", "p"},
		"Set":      {"somebody set another one since", &local.SignIn{Password: "p"}, "o", ""},
		"Changed":  {"somebody changed its own since", &local.SignIn{Password: "p", Own: "o"}, "n", ""},
		"SetLong":  {"what was set stays set", &local.SignIn{Own: "o"}, "o", ""},
		"Removed":  {"its own is gone, and no other is known", &local.SignIn{Own: "o"}, "", made},
		"Back":     {"its own is gone", &local.SignIn{Password: "p", Own: "o"}, "", "p"},
	} {
		t.Run(name, func(t *testing.T) {
			got := signIn(tc.was, tc.own)
			if tc.want == made {
				if len(got.Password) < 20 || tc.was != nil && got.Password == tc.was.Password {
					t.Errorf("%s: no new password", tc.reason)
				}
				got.Password = made
			}
			if diff := cmp.Diff(local.SignIn{Username: "admin", Password: tc.want, Own: tc.own}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHowToSignInIsToldOnceThePagesAnswer holds that nobody has to wait for
// health, and that nobody is sent to where nothing answers.
func TestHowToSignInIsToldOnceThePagesAnswer(t *testing.T) {
	var asked atomic.Int32
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(pages.Close)
	for name, tc := range map[string]struct{ password, want string }{
		"Password": {"of-the-start", "# sign in as admin with of-the-start\n"},
		"Own":      {"", "# sign in as admin with the password that was set since the first start\n"},
	} {
		t.Run(name, func(t *testing.T) {
			asked.Store(0)
			home, err := local.HomeOf(t.TempDir(), "f")
			if err != nil {
				t.Fatal(err)
			}
			if err := home.WriteSignIn(local.SignIn{URL: pages.URL, Username: "admin", Password: tc.password}); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := newTeller(command.Streams{Out: &out, Err: &out}).signIn(t.Context(), home); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.Contains(got, pages.URL) || !strings.Contains(got, tc.want) {
				t.Errorf("it tells %q", got)
			}
			if got := asked.Load(); got != 3 {
				t.Errorf("it was told after %d questions", got)
			}
			if err := home.ForgetAddress(); err != nil {
				t.Fatal(err)
			}
			if in, err := home.SignIn(); err != nil || in.URL != "" || in.Password != tc.password {
				t.Errorf("after the next start has begun: %+v, %v", in, err)
			}
		})
	}
}
