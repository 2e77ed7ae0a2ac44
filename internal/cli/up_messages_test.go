package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/await"
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
			if err := newTeller(Streams{Out: &out, Err: &out}).signIn(t.Context(), home); err != nil {
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

// signInFile is how the last start says that its pages are reached.
func (f tiny) signInFile() *local.SignIn {
	f.t.Helper()
	home, err := local.HomeOf(filepath.Join(f.dir, "state"), "tiny")
	if err != nil {
		f.t.Fatal(err)
	}
	in, err := home.SignIn()
	if err != nil || in == nil {
		f.t.Fatalf("there is no sign-in: %v", err)
	}
	return in
}

// ask asks the pages as a program does.
func (f tiny) ask(method, url, token string, body any) (code int, answer map[string]any) {
	f.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		f.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(f.t.Context(), method, url, bytes.NewReader(text))
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_ = json.NewDecoder(resp.Body).Decode(&answer) // some have none
	return resp.StatusCode, answer
}

// signs signs in as admin.
func (f tiny) signs(url, password string) (token string, code int) {
	f.t.Helper()
	code, answer := f.ask(http.MethodPost, url+"/api/v1/session", "", map[string]string{"username": "admin", "password": password})
	token, _ = answer["token"].(string)
	return token, code
}

// comesBackUnwell starts a fleet again, of which an application is not well:
// who looks for the cause can sign in, with the password that they have.
func (f tiny) comesBackUnwell(password string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), await.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "up", "--file", "fleet.yaml", "--serve", "127.0.0.1:0")
	cmd.Dir, cmd.WaitDelay = f.dir, await.Limit // what it has started is stopped by then
	cmd.Env = append(os.Environ(), asProgram+"=1", "KUBECONFIG=", "CAUSEWAY_STATE_DIR="+filepath.Join(f.dir, "state"), "CAUSEWAY_KUBE="+kubeBinary(f.t))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	said := ""
	for said == "" && lines.Scan() {
		if strings.Contains(lines.Text(), "in the browser: ") {
			said = lines.Text()
		}
	}
	in := f.signInFile()
	if want := fmt.Sprintf("  in the browser: %s   # sign in as admin with %s", in.URL, password); said != want {
		f.t.Fatalf("it says %q, not %q", said, want)
	}
	f.awaitApp("shop", func(a fleetstatus.App) bool { return strings.Contains(a.Problem, "gone") })
	f.setsAPassword(in, password)
}

// setsAPassword holds that what a person set is what counts, now and at the
// next start.
func (f tiny) setsAPassword(in *local.SignIn, password string) {
	f.t.Helper()
	token, code := f.signs(in.URL, password)
	if code/100 != 2 || token == "" {
		f.t.Fatalf("signing in: %d", code)
	}
	const mine = "one of my own choice"
	code, answer := f.ask(http.MethodPut, in.URL+"/api/v1/accounts/admin/password", token, map[string]string{"current": password, "password": mine})
	if code/100 != 2 {
		f.t.Fatalf("setting a password: %d, %v", code, answer)
	}
	embeddedtest.Eventually(f.t, func(context.Context) error {
		if _, code := f.signs(in.URL, mine); code/100 != 2 {
			return fmt.Errorf("signing in with it: %d", code)
		}
		return nil
	})
	if _, code := f.signs(in.URL, password); code != http.StatusUnauthorized {
		f.t.Errorf("the password before it: %d", code)
	}
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: filepath.Join(f.dir, "state/tiny/kubeconfig")}
	hub, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: "hub"}).ClientConfig()
	if err != nil {
		f.t.Fatal(err)
	}
	own, err := ownPassword(f.t.Context(), hub, "argocd")
	if err != nil {
		f.t.Fatal(err)
	}
	if next := signIn(in, own); next.Password != "" {
		f.t.Error("the next start has a password beside the one that was set")
	}
}
