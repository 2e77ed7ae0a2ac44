package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/await"
)

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
	client, err := kubernetes.NewForConfig(hub)
	if err != nil {
		f.t.Fatal(err)
	}
	secret, err := client.CoreV1().Secrets("argocd").Get(f.t.Context(), account.Secret, metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	set := secret.Data[account.AdminPassword]
	if sum := sha256.Sum256(set); len(set) == 0 || hex.EncodeToString(sum[:]) == in.Own {
		f.t.Error("the next start takes the password that was set for the one it knows")
	}
}
