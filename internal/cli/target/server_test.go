package target

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
)

// reached is a server as commands see it.
func reached(t *testing.T, d *clitest.Desk) *Hub {
	t.Helper()
	h, err := Reach(&command.Global{Server: command.ServerFlags{Address: d.URL}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// TestTokensOfAServer: a file comes before the environment, and that before a login.
func TestTokensOfAServer(t *testing.T) {
	config := t.TempDir()
	t.Setenv("HOME", config)
	t.Setenv("XDG_CONFIG_HOME", config)
	const address = "https://gitops.example.com"
	write(t, filepath.Join(config, "causeway", "logins.json"), `{"servers": {"`+address+`": {"token": "kept"}}}`, 0o600)
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, text, 0o600)
		return path
	}
	cases := map[string]struct {
		reason, file, variable, address string
		want, refusal                   string
	}{
		"file":        {reason: "what is named for this once", file: file("filed\n"), variable: "said", address: address, want: "filed"},
		"variable":    {reason: "a job's own", variable: " said\n", address: address, want: "said"},
		"login":       {reason: "what an earlier login left", address: address, want: "kept"},
		"slash":       {reason: "the same address, written otherwise", address: "gitops.example.com/", want: "kept"},
		"nobody":      {reason: "a login is of one server", address: "https://other.example.com", refusal: "nobody is signed in at https://other.example.com: run causeway login https://other.example.com, or set CAUSEWAY_TOKEN"},
		"blank":       {reason: "an empty variable is none", variable: " ", address: address, want: "kept"},
		"empty file":  {reason: "a file that was named and has nothing is no reason to take another's", file: file("\n"), variable: "said", address: address, refusal: "is no file with a token alone"},
		"many":        {reason: "nor is one with more than a token", file: file("a\nb\n"), address: address, refusal: "is no file with a token alone"},
		"no file":     {reason: "nor one that is not there", file: "nowhere", variable: "said", address: address, refusal: "cannot read --token-file: "},
		"large":       {reason: "a file is not read without end", file: file(strings.Repeat("a", MaxTokenFile+1)), address: address, refusal: "cannot read --token-file: "},
		"no address":  {reason: "the address is told of", address: "ftp://x", refusal: `"ftp://x" is no address of a server`},
		"credentials": {reason: "who has a password in the address has it in lists of processes", address: "https://me:pw@x", refusal: "is no address of a server"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv(command.VariableToken, c.variable)
			got, err := token(&command.Global{Server: command.ServerFlags{Address: c.address, TokenFile: c.file}})
			if got != c.want || (err == nil) != (c.refusal == "") || err != nil && !strings.Contains(err.Error(), c.refusal) {
				t.Errorf("%s: got %q, %v; want %q, %q", c.reason, got, err, c.want, c.refusal)
			}
		})
	}
}

// TestLoginsThatAreNotUsed: a file that others may have read or written opens no server.
func TestLoginsThatAreNotUsed(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		mode         os.FileMode
		want         string
	}{
		"readable": {"others may have the token", `{"servers": {}}`, 0o640, "chmod 600"},
		"writable": {"others may have put one there", `{"servers": {}}`, 0o602, "chmod 600"},
		"large":    {"it is no list of a person's servers", strings.Repeat(" ", maxLogins) + `{"servers": {}}`, 0o600, "is no file of logins"},
		"broken":   {"it was cut off", `{"servers": {`, 0o600, "delete it and sign in again"},
		"null":     {"it has no list", `{"servers": null}`, 0o600, "delete it and sign in again"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			config := t.TempDir()
			t.Setenv("HOME", config)
			t.Setenv("XDG_CONFIG_HOME", config)
			path := filepath.Join(config, "causeway", "logins.json")
			write(t, path, c.text, c.mode)
			if err := os.Chmod(path, c.mode); err != nil { // whatever the umask says
				t.Fatal(err)
			}
			if got, err := ReadLogins(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v", c.reason, got, err)
			}
		})
	}
}

func TestLoginsAreReadAsTheyWereWritten(t *testing.T) {
	config := t.TempDir()
	t.Setenv("HOME", config)
	t.Setenv("XDG_CONFIG_HOME", config)
	logins, err := ReadLogins()
	if err != nil || len(logins.Servers) != 0 {
		t.Fatalf("before any login there are %v, %v", logins, err)
	}
	logins.Servers["https://a"] = Login{User: "ann", Token: "t"}
	if err := logins.Write(); err != nil {
		t.Fatal(err)
	}
	again, err := ReadLogins()
	if err != nil || again.Servers["https://a"] != (Login{User: "ann", Token: "t"}) {
		t.Errorf("read again: %v, %v", again, err)
	}
}

// TestServersAndHubsAreNotMixed: what names both, or asks one for what the other has, is refused before anything is asked.
func TestServersAndHubsAreNotMixed(t *testing.T) {
	t.Setenv(command.VariableToken, "t")
	at := command.ServerFlags{Address: "https://gitops.example.com"}
	cases := map[string]struct {
		reason string
		ask    func() (*Hub, error)
		want   string
	}{
		"kubeconfig": {"a hub is named, too", func() (*Hub, error) { return Reach(&command.Global{Server: at, Kubeconfig: "x"}) }, "cannot ask both a server and a hub"},
		"fleet":      {"and so it is", func() (*Hub, error) { return Reach(&command.Global{Server: at, Fleet: "x"}) }, "cannot ask both a server and a hub"},
		"context":    {"and so it is", func() (*Hub, error) { return Reach(&command.Global{Server: at, Context: "x"}) }, "cannot ask both a server and a hub"},
		"mirrors":    {"folders of this machine are not the server's", func() (*Hub, error) { return ReachWithout(&command.Global{Server: at}, []string{"a=b"}) }, "--mirror is of this machine"},
		"hub's":      {"a server has not what the command needs", func() (*Hub, error) { return Connect(&command.Global{Server: at}) }, "is not asked of a server: name the hub with --kubeconfig, and no --server"},
	}
	for name, c := range cases {
		if _, err := c.ask(); command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: %v", name, c.reason, err)
		}
	}
	h, err := ReachWithout(&command.Global{Server: at, Namespace: "gitops"}, nil)
	if err != nil || h.Namespace != "gitops" || h.From != "server https://gitops.example.com" {
		t.Errorf("without mirrors: %+v, %v", h, err)
	}
}

func TestCertificatesOfAServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ca.pem")
	write(t, path, "no certificate", 0o600)
	for want, file := range map[string]string{"cannot read --server-ca: ": "nowhere", "they have to be PEM": path} {
		_, err := Dial(&command.Global{Server: command.ServerFlags{Address: "https://a", Ca: file}}, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestAnswersOfAServerAreExplained: who asks is told whether to sign in, or to ask for a right.
func TestAnswersOfAServerAreExplained(t *testing.T) {
	d := clitest.NewDesk(t, nil)
	h := reached(t, d)
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"401":   {"another login may help", &apiclient.Problem{Status: http.StatusUnauthorized, Detail: "expired"}, d.URL + " does not take the token: expired; run causeway login " + d.URL},
		"403":   {"another login does not", &apiclient.Problem{Status: http.StatusForbidden, Detail: "ann may not"}, d.URL + " does not let you: ann may not"},
		"409":   {"the server knows why", &apiclient.Problem{Status: http.StatusConflict, Detail: "it syncs"}, d.URL + " answers: it syncs"},
		"other": {"what is no answer is told as it is", errors.New("no route to host"), "no route to host"},
	}
	for name, c := range cases {
		if got := h.Explain(fmt.Errorf("%w", c.err)).Error(); got != c.want {
			t.Errorf("%s: %s: %q", name, c.reason, got)
		}
	}
	if h.Explain(nil) != nil {
		t.Error("what is no error is explained")
	}
}

// TestProjectsOfAServerAreChosenHere, as its route takes no selector.
func TestProjectsOfAServerAreChosenHere(t *testing.T) {
	project := func(name, team string) v1alpha1.AppProject {
		return v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": team}}}
	}
	d := clitest.NewDesk(t, map[string]any{"GET /argocd/api/v1/projects": v1alpha1.AppProjectList{Items: []v1alpha1.AppProject{project("a", "web"), project("b", "data")}}})
	h := reached(t, d)
	for want, selector := range map[string]labels.Selector{"a b": labels.Everything(), "b": labels.SelectorFromSet(labels.Set{"team": "data"})} {
		list := &v1alpha1.AppProjectList{}
		if err := h.Client.List(t.Context(), list, client.MatchingLabelsSelector{Selector: selector}); err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: got %s, want %s", selector, got, want)
		}
	}
}

// TestServersAreNotReadForWhatTheyDoNotHave: a command that reads Secrets is told to, and does not panic.
func TestServersAreNotReadForWhatTheyDoNotHave(t *testing.T) {
	h := reached(t, clitest.NewDesk(t, nil))
	for what, err := range map[string]error{
		"one":  h.Client.Get(t.Context(), client.ObjectKey{Name: "a"}, &corev1.Secret{}),
		"list": h.Client.List(t.Context(), &corev1.SecretList{}),
	} {
		if command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), "name the hub with --kubeconfig") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSelectorsGoToTheServer, which has the applications.
func TestSelectorsGoToTheServer(t *testing.T) {
	var asked []string
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.RawQuery)
			clitest.Applications()(w, r)
		},
		clitest.SetsRoute: func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.RawQuery)
			_, _ = w.Write([]byte(`{"items":[]}`))
		},
	})
	h := reached(t, d)
	team := client.MatchingLabels{"team": "web"}
	if err := errors.Join(h.Client.List(t.Context(), &v1alpha1.ApplicationList{}, client.InNamespace("a"), team), h.Client.List(t.Context(), &v1alpha1.ApplicationSetList{}, team)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(asked, " "); got != "appNamespace=a&selector=team%3Dweb selector=team%3Dweb" {
		t.Error(got)
	}
}
