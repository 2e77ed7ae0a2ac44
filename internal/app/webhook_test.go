package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/webhook"
)

// remote is a real Git repository behind HTTP, which nothing watches.
type remote struct {
	t   *testing.T
	dir string
	url string
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	})
	t.Cleanup(server.Close)
	r := &remote{t: t, dir: filepath.Join(root, "apps"), url: server.URL + "/apps/.git"}
	r.git("init", "--quiet", "--initial-branch=main", r.dir)
	return r
}

func (r *remote) git(args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	if args[0] != "init" {
		cmd.Dir = r.dir
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
}

func (r *remote) commit(name, content string) {
	r.t.Helper()
	put(r.t, filepath.Join(r.dir, name), content)
	r.git("add", "-A")
	r.git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "change "+name)
}

// TestWebhookRefreshesTheApplicationsConcerned uses look-up intervals of an
// hour, so that nothing but the webhook can bring the news.
func TestWebhookRefreshesTheApplicationsConcerned(t *testing.T) {
	r := newRemote(t)
	r.commit("app/a.yaml", configMapV1)
	e := start(t, map[string]string{"other/a.yaml": strings.ReplaceAll(configMapV1, "settings", "other")})
	secret := "not to be guessed"
	err := e.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: webhook.SigningSecret, Namespace: e.namespace}, StringData: map[string]string{"webhook.github.secret": secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.app("app", "app", func(app *v1alpha1.Application) {
		app.Spec.Source.RepoURL, app.Spec.Source.TargetRevision = r.url, "main"
	})
	e.app("other", "other")
	e.until("app", "good", good)
	other := e.until("other", "good", good)

	r.commit("app/a.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
	hook := httptest.NewServer(e.routes(t.Context()))
	t.Cleanup(hook.Close)
	body := fmt.Sprintf(`{"ref": "refs/heads/main", "after": "%040d", "repository": {"clone_url": %q, "html_url": %q}}`, 1, r.url, r.url)
	if code := post(t, hook.URL, body, "wrong"); code != http.StatusUnauthorized {
		t.Errorf("a webhook with a wrong signature was answered %d, want 401", code)
	}
	if code := post(t, hook.URL, body, secret); code != http.StatusOK {
		t.Fatalf("the webhook was answered %d, want 200", code)
	}
	e.untilVersion("settings", "2")
	if now := e.until("other", "good", good); now.ResourceVersion != other.ResourceVersion {
		t.Error("an application of another repository was written, too")
	}
}

func post(t *testing.T, url, body, secret string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/webhook", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	req.Header.Set("X-Github-Event", "push")
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}
