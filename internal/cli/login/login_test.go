package login

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// porter is a server where ann has a password, and a token of hers is known.
type porter struct {
	*httptest.Server

	// ended is how it answers who signs out.
	ended int
	// proven are the accounts that passwords were sent for.
	proven []string
}

const (
	annsPassword = " pass word "
	annsToken    = "token-of-ann"
)

func newPorter(t *testing.T) *porter {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "KUBECONFIG": "", "CAUSEWAY_STATE_DIR": home, command.VariableToken: ""} {
		t.Setenv(name, value)
	}
	p := &porter{ended: http.StatusNoContent}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/session", func(w http.ResponseWriter, r *http.Request) {
		var c api.Credentials
		_ = json.NewDecoder(r.Body).Decode(&c)
		p.proven = append(p.proven, c.Username)
		if c.Username != "ann" || c.Password != annsPassword {
			http.Error(w, `{"detail":"the name or the password is wrong"}`, http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(api.Token{Token: annsToken})
	})
	mux.HandleFunc("GET /api/v1/session", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+annsToken {
			_, _ = w.Write([]byte(`{"user":{"name":"ann","via":"local"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"open":true}`))
	})
	mux.HandleFunc("DELETE /api/v1/session", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(p.ended) })
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// run runs a command with what its standard input has.
func (p *porter) run(t *testing.T, made func(*command.Global) *cobra.Command, in string, args ...string) clitest.Left {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := made(&command.Global{Streams: command.Streams{In: strings.NewReader(in), Out: &out, Err: &errs}, Version: "test"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{p.URL}, args...))
	err := cmd.ExecuteContext(t.Context())
	got := clitest.Left{Code: command.ExitCode(err), Out: out.String(), Errors: errs.String()}
	if err != nil {
		got.Errors += err.Error()
	}
	return got
}

// kept is the token that is kept of the server.
func (p *porter) kept(t *testing.T) string {
	t.Helper()
	kept, err := target.ReadLogins()
	if err != nil {
		t.Fatal(err)
	}
	return kept.Servers[p.URL].Token
}

// TestSignInByWhatIsTyped: the first line is the secret. A password may begin and end with blanks, and a token never does.
func TestSignInByWhatIsTyped(t *testing.T) {
	cases := map[string]struct {
		reason, in string
		args       []string
		code       int
		want       string
	}{
		"password":  {"blanks belong to it", annsPassword + "\n", []string{"--user", "ann"}, command.ExitFine, "as ann\n"},
		"windows":   {"the end of the line does not, whatever it is", annsPassword + "\r\nmore\n", []string{"-u", "ann"}, command.ExitFine, "as ann\n"},
		"open line": {"a line may have no end", annsPassword, []string{"-u", "ann"}, command.ExitFine, "as ann\n"},
		"wrong":     {"it says of whom, and not by what", "guess\n", []string{"-u", "ann"}, command.ExitFailed, " as ann: the name or the password is wrong"},
		"nobody":    {"where no account is named, that of the first start is meant", annsPassword, nil, command.ExitFailed, " as admin: "},
		"nothing":   {"a script has an empty variable", "\n" + annsPassword, []string{"-u", "ann"}, command.ExitUsage, "nothing was typed: give the password of ann on the standard input"},
		"token":     {"one that was copied has blanks around it", "  " + annsToken + "\t\r\n", []string{"--token"}, command.ExitFine, "as ann\n"},
		"blank":     {"blanks are no token", " \t\n", []string{"--token"}, command.ExitUsage, "nothing was typed: give the token"},
		"stranger":  {"a server that is open to all knows nobody by it", "other\n", []string{"--token"}, command.ExitFailed, "the server knows nobody by that"},
		"endless":   {"no input is read without end", strings.Repeat("x", target.MaxTokenFile+2), []string{"--token"}, command.ExitUsage, "its first line has more than 64 KiB"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPorter(t)
			got := p.run(t, New, c.in, c.args...)
			got.Says(t, c.reason, c.code, c.want)
			if kept := p.kept(t); (kept == annsToken) != (c.code == command.ExitFine) || c.code != command.ExitFine && kept != "" {
				t.Errorf("%s: kept is %q", c.reason, kept)
			}
			if secret := strings.TrimSpace(c.in); secret != "" && strings.Contains(got.Out+got.Errors, secret) {
				t.Errorf("%s: the secret is shown: %+v", c.reason, got)
			}
		})
	}
}

// TestWhoSignsInIsSaidOnce, and a password goes nowhere in the clear.
func TestWhoSignsInIsSaidOnce(t *testing.T) {
	p := newPorter(t)
	p.URL = "http://causeway.example.com"
	for args, want := range map[string]string{
		"--sso --user ann": "leave out --user and --token", "--sso --token": "leave out --user and --token", "--sso-port 8085": "--sso-port is for --sso",
	} {
		p.run(t, New, annsPassword, strings.Fields(args)...).Says(t, args, command.ExitUsage, want)
	}
	p.run(t, New, "", "--sso").Says(t, "the issuer could be anybody's", command.ExitFailed, "cannot ask http://causeway.example.com in the clear whom to sign in with")
	p.run(t, New, annsPassword, "-u", "ann").Says(t, "whoever is on the way reads it", command.ExitFailed, "cannot send a password to http://causeway.example.com in the clear: name the server as https://")
	p.run(t, New, annsToken, "--token").Says(t, "so does a token", command.ExitFailed, "in the clear")
	if len(p.proven) > 0 || p.kept(t) != "" {
		t.Errorf("passwords were sent for %v", p.proven)
	}
}

// TestSignOut forgets the login, whatever the server says: how its session goes on is told.
func TestSignOut(t *testing.T) {
	cases := map[string]struct {
		reason string
		ended  int
		code   int
		want   string
	}{
		"session": {"it has ended", http.StatusNoContent, command.ExitFine, "signed out at "},
		"key":     {"a key is no session", http.StatusForbidden, command.ExitFine, "its token is no session, and goes on to count until it ends or is revoked"},
		"late":    {"what has ended by itself goes on nowhere", http.StatusUnauthorized, command.ExitFine, "is forgotten here; its session had ended before"},
		"away":    {"nobody could be told", http.StatusBadGateway, command.ExitFailed, "is forgotten here, and its session goes on there until it ends: "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPorter(t)
			p.run(t, New, annsToken, "--token").Says(t, "signed in", command.ExitFine)
			p.ended = c.ended
			p.run(t, NewLogout, "").Says(t, c.reason, c.code, c.want)
			if p.kept(t) != "" {
				t.Errorf("%s: it is kept", c.reason)
			}
			p.run(t, NewLogout, "").Says(t, "nobody is there any more", command.ExitFailed, "nobody is signed in at "+p.URL)
		})
	}
}

// TestALoginIsFoundByItsServer, with a slash at the end or without, beside those at others.
func TestALoginIsFoundByItsServer(t *testing.T) {
	p := newPorter(t)
	address := p.URL
	p.run(t, New, annsToken, "--token").Says(t, "signed in", command.ExitFine)
	kept, err := target.ReadLogins()
	if err != nil {
		t.Fatal(err)
	}
	kept.Servers["https://other.example.com"] = target.Login{Token: "other"}
	if err := kept.Write(); err != nil {
		t.Fatal(err)
	}
	p.URL += "/"
	p.run(t, NewLogout, "").Says(t, "a slash makes no other server", command.ExitFine, "signed out at "+address)
	if kept, err = target.ReadLogins(); err != nil || len(kept.Servers) != 1 {
		t.Errorf("kept are %v, %v", kept, err)
	}
	p.URL = "ftp://causeway.example.com"
	p.run(t, NewLogout, "").Says(t, "it is no server", command.ExitUsage, "is no address of a server")
}

// TestAPlaceToComeBackTo is one that the issuer knows: any port of the loopback address, or the port that it was told.
func TestAPlaceToComeBackTo(t *testing.T) {
	g := newGatehouse(t)
	taken := g.Listener.Addr().String()
	_, port, _ := strings.Cut(taken, ":")
	for _, args := range [][]string{{"--sso", "--sso-port", port}, {"--sso", "--sso-port", "65536"}} {
		got := (&porter{Server: g.Server}).run(t, New, "", args...)
		got.Says(t, "somebody else would be told who signs in", command.ExitFailed, "cannot wait on this machine for the browser to come back: ")
	}
	if got := (&loginFlags{port: 8085}).back(nil).String(); got != "http://localhost:8085" {
		t.Errorf("as Argo CD's command line it comes back to %s", got)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "causeway", "logins.json")); err == nil {
		t.Error("a login is kept")
	}
}
