package serve_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

const (
	gitPassword   = "hunter2-of-git"
	wrongPassword = "wrong-hunter3"
)

// remote is a real Git repository behind HTTP.
type remote struct{ dir, url string }

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
	r := &remote{filepath.Join(root, "apps"), server.URL + "/apps/.git"}
	r.git(t, "init", "--quiet", "--initial-branch=main", r.dir)
	return r
}

func (r *remote) git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	if args[0] != "init" {
		cmd.Dir = r.dir
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
}

func (r *remote) commit(t *testing.T, name, content string) {
	t.Helper()
	apptest.Put(t, filepath.Join(r.dir, name), content)
	r.git(t, "add", "-A")
	r.git(t, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "change "+name)
}

// guarded is a remote that asks for a password.
func guarded(t *testing.T) *remote {
	t.Helper()
	r := newRemote(t)
	at, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: at.Scheme, Host: at.Host})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if _, password, _ := req.BasicAuth(); password != gitPassword {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		behind.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + at.Path
	return r
}

// overheard keeps all that a site answers.
type overheard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// RoundTrip implements http.RoundTripper.
func (o *overheard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(resp.Body)
	err = errors.Join(err, resp.Body.Close())
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = resp.Header.Write(&o.text)
	o.text.Write(data)
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, err
}

func (o *overheard) hears(t *testing.T, secrets ...string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, secret := range secrets {
		if at := strings.Index(o.text.String(), secret); at >= 0 {
			t.Errorf("an answer has %q: …%s", secret, o.text.String()[max(at-300, 0):at+len(secret)])
		}
	}
}

func withPassword(url, password string) api.RepositoryWish {
	return api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: url, Type: "git", Username: "me"}, Secrets: api.RepositorySecrets{Password: &password}}
}

// A repository is tried, connected, used by an Application, changed without
// its password, and forgotten; and nobody is ever told the password.
func TestAPIConnectsARepository(t *testing.T) {
	r := guarded(t)
	r.commit(t, "app/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-git}\n")
	s := serveSite(t, nil)
	v, heard := s.visitor(""), &overheard{}
	v.client.Transport = heard
	v.signIn(t)

	triesRepository(t, v, r.url)
	var made api.Repository
	v.wants(t, http.StatusCreated, http.MethodPost, "/repositories", withPassword(r.url, gitPassword), &made)
	// Until the server's cache has the first, a second address of it would be a second repository.
	v.wants(t, http.StatusOK, http.MethodGet, "/repositories/"+made.ID, nil, nil)
	v.wants(t, http.StatusUnprocessableEntity, http.MethodPost, "/repositories", withPassword(strings.TrimSuffix(r.url, ".git"), gitPassword), nil)
	s.App("app", "app", func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = r.url })
	s.Until("app", "synced", func(app *v1alpha1.Application) bool { return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced })

	at := "/repositories/" + made.ID
	sees(t, v, at, func(got *api.Repository) error {
		if got.Applications != 1 || got.Looked == nil || got.LookProblem != "" || len(got.Credentials) != 1 || len(got.Can) != 2 {
			return fmt.Errorf("got %+v", got)
		}
		made = *got
		return nil
	})
	keepsPassword(t, s, v, at, &made)
	s.account("reader", "get", "list").wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)

	v.wants(t, http.StatusNoContent, http.MethodDelete, at, nil, nil)
	err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: made.ID}, &corev1.Secret{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the Secret is still there: %v", err)
	}
	for _, verb := range []string{"create", "update", "delete", "test"} {
		audited(t, v, "verb="+verb+"&outcome=allowed&q=repositories", verb, func(e *audit.Entry) bool { return e.Resource == "repositories" && e.Name == r.url })
	}
	exportHolds(t, v)
	heard.hears(t, gitPassword, wrongPassword, "s3cret")
}

// triesRepository asks it with wrong passwords and with the right one.
func triesRepository(t *testing.T, v *visitor, url string) {
	t.Helper()
	var got api.Probed
	v.wants(t, http.StatusOK, http.MethodPost, "/repositories/test", api.RepositoryProbe{RepositoryWish: withPassword(url, wrongPassword)}, &got)
	if got.OK || !strings.Contains(got.Message, "check username and password") {
		t.Errorf("a wrong password: %+v", got)
	}
	v.wants(t, http.StatusOK, http.MethodPost, "/repositories/test", api.RepositoryProbe{RepositoryWish: withPassword(url, gitPassword)}, &got)
	if !got.OK || !strings.Contains(got.Message, "main") {
		t.Errorf("the right password: %+v", got)
	}
	for _, bad := range []string{"ftp://x/y", "https://me:s3cret@git.example.com/x", "ext::sh -c id", "--upload-pack=id"} {
		v.wants(t, http.StatusUnprocessableEntity, http.MethodPost, "/repositories/test", api.RepositoryProbe{RepositoryWish: withPassword(bad, "s3cret")}, nil)
	}
}

// keepsPassword changes a repository without sending its password, which does
// not go to another address.
func keepsPassword(t *testing.T, s *site, v *visitor, at string, made *api.Repository) {
	t.Helper()
	want := api.RepositoryWish{RepositoryFields: made.RepositoryFields}
	want.Name = "apps"
	v.wants(t, http.StatusOK, http.MethodPut, at, want, nil)
	secret := &corev1.Secret{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: made.ID}, secret); err != nil {
		t.Fatal(err)
	}
	if string(secret.Data["password"]) != gitPassword || string(secret.Data["name"]) != "apps" || secret.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeRepository {
		t.Errorf("the Secret has keys %v, name %q", len(secret.Data), secret.Data["name"])
	}
	want.URL = "http://127.0.0.1:1/evil"
	v.wants(t, http.StatusUnprocessableEntity, http.MethodPut, at, want, nil)
	v.wants(t, http.StatusUnprocessableEntity, http.MethodPost, "/repositories/test", api.RepositoryProbe{RepositoryWish: want, ID: made.ID}, nil)
	proxy := "http://127.0.0.1:1"
	want.URL, want.Secrets.Proxy = made.URL, &proxy
	v.wants(t, http.StatusUnprocessableEntity, http.MethodPut, at, want, nil)
}

// A cluster is tried, connected, changed without its certificate's key, and
// forgotten after what goes with it was confirmed.
func TestAPIConnectsACluster(t *testing.T) {
	s := serveSite(t, nil)
	v, heard := s.visitor(""), &overheard{}
	v.client.Transport = heard
	v.signIn(t)
	key := string(s.Hub.KeyData)
	if key == "" || s.Hub.BearerToken != "" {
		t.Fatal("the control plane is expected to know its clients by certificates")
	}
	cert := string(s.Hub.CertData)
	want := api.MemberWish{
		MemberFields: api.MemberFields{Name: "spoke-" + s.Namespace, Server: s.Hub.Host, CA: string(s.Hub.CAData), Labels: map[string]string{"region": "eu"}},
		Secrets:      api.MemberSecrets{Cert: &cert, Key: &key},
	}
	var got api.MemberProbed
	v.wants(t, http.StatusOK, http.MethodPost, "/clusters/test", want, &got)
	if !got.OK || got.User == "" || got.Version == "" {
		t.Errorf("the right credentials: %+v", got)
	}
	stranger := want
	stranger.Secrets = api.MemberSecrets{}
	v.wants(t, http.StatusOK, http.MethodPost, "/clusters/test", stranger, &got)
	if got.OK && !strings.Contains(got.User, "anonymous") {
		t.Errorf("without credentials: %+v", got)
	}

	borrows := want
	borrows.Project, borrows.Command, borrows.Secrets = "default", "gke-gcloud-auth-plugin", api.MemberSecrets{}
	for _, at := range []string{"/clusters/test", "/clusters"} {
		v.wants(t, http.StatusUnprocessableEntity, http.MethodPost, at, borrows, nil)
		if !strings.Contains(v.refusal, "is of project default alone") {
			t.Errorf("%s refuses a program with %v", at, v.refusal)
		}
	}

	var made api.Member
	v.wants(t, http.StatusCreated, http.MethodPost, "/clusters", want, &made)
	at := "/clusters/" + made.ID
	sees(t, v, at, func(m *api.Member) error {
		if m.Health == nil || !m.Health.Reachable || m.Problem != "" || len(m.Credentials) != 2 || m.Labels["region"] != "eu" {
			return fmt.Errorf("got %+v, health %+v", m, m.Health)
		}
		return nil
	})
	keepsKey(t, s, v, at, want)
	for says, bad := range map[string]api.MemberFields{
		"it is the hub's own address": {Name: "mine", Server: "https://kubernetes.default.svc", Project: "default"},
		"name: it is the hub's":       {Name: "in-cluster", Server: "https://127.0.0.1:1"},
		"the sign * of patterns":      {Name: "all", Server: "https://*", Project: "default"},
	} {
		for _, path := range []string{"/clusters", "/clusters/test"} {
			v.wants(t, http.StatusUnprocessableEntity, http.MethodPost, path, api.MemberWish{MemberFields: bad}, nil)
			if !strings.Contains(v.refusal, says) {
				t.Errorf("%s of %+v says %q, want %q in it", path, bad, v.refusal, says)
			}
		}
	}

	s.App("app", "app", func(app *v1alpha1.Application) {
		app.Spec.Destination.Name, app.Spec.SyncPolicy = want.Name, nil
		app.Finalizers = nil
	})
	var d api.MemberDeletion
	sees(t, v, at+"/deletion", func(now *api.MemberDeletion) error {
		if len(now.Left) != 1 || now.Left[0].Name != s.ID("app") {
			return fmt.Errorf("what goes is %+v", now)
		}
		d = *now
		return nil
	})
	v.wants(t, http.StatusConflict, http.MethodDelete, at, nil, nil)
	v.wants(t, http.StatusNoContent, http.MethodDelete, at+"?confirm="+d.Confirm, nil, nil)
	v.wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)
	audited(t, v, "verb=delete&outcome=allowed&q=clusters", "the deletion", func(e *audit.Entry) bool { return e.Resource == "clusters" && e.Cluster == want.Name })
	exportHolds(t, v)
	body := strings.Split(key, "\n")
	heard.hears(t, body[1], base64.StdEncoding.EncodeToString([]byte(key)))
}

// keepsKey changes a cluster without sending its key, which does not go to
// another address.
func keepsKey(t *testing.T, s *site, v *visitor, at string, want api.MemberWish) {
	t.Helper()
	key := *want.Secrets.Key
	want.Secrets = api.MemberSecrets{}
	want.Labels = map[string]string{"region": "us"}
	v.wants(t, http.StatusOK, http.MethodPut, at, want, nil)
	secret := &corev1.Secret{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: strings.TrimPrefix(at, "/clusters/")}, secret); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(secret.Data["config"]), base64.StdEncoding.EncodeToString([]byte(key))) || secret.Labels["region"] != "us" || secret.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeCluster {
		t.Errorf("the Secret has labels %v", secret.Labels)
	}
	for name, bad := range map[string]func(*api.MemberWish){
		"another address":   func(w *api.MemberWish) { w.Server = "https://127.0.0.1:1" },
		"without checks":    func(w *api.MemberWish) { w.CA, w.Insecure = "", true },
		"a program":         func(w *api.MemberWish) { w.Command = "/bin/sh" },
		"no name of labels": func(w *api.MemberWish) { w.Labels = map[string]string{"argocd.argoproj.io/secret-type": "x"} },
	} {
		w := want
		bad(&w)
		t.Log(name)
		v.wants(t, http.StatusUnprocessableEntity, http.MethodPut, at, w, nil)
	}
}

// A project is made, refused where it would not be used, changed at its
// version, and deleted when nothing is in it.
func TestAPIWritesProjects(t *testing.T) {
	s := serveSite(t, nil)
	v := s.visitor("")
	v.signIn(t)
	want := api.ProjectWish{Name: "shop", Spec: v1alpha1.AppProjectSpec{
		SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}},
		Roles: []v1alpha1.ProjectRole{{Name: "ci", Policies: []string{"p, proj:shop:ci, applications, sync, shop/*, allow"}}},
	}}
	var made api.ProjectDetail
	v.wants(t, http.StatusCreated, http.MethodPost, "/projects", want, &made)
	at := "/projects/shop"
	v.wants(t, http.StatusOK, http.MethodGet, at, nil, &made)
	for name, bad := range map[string]func(*v1alpha1.AppProjectSpec){
		"a policy": func(s *v1alpha1.AppProjectSpec) {
			s.Roles = []v1alpha1.ProjectRole{{Name: "ci", Policies: []string{"p, proj:shop:ci, applications"}}}
		},
		"a window": func(s *v1alpha1.AppProjectSpec) {
			s.SyncWindows = v1alpha1.SyncWindows{{Kind: "allow", Schedule: "soon", Duration: "1h"}}
		},
		"a destination": func(s *v1alpha1.AppProjectSpec) {
			s.Destinations = []v1alpha1.ApplicationDestination{{Server: "!*"}}
		},
	} {
		w := want
		bad(&w.Spec)
		if code, err := v.do(t.Context(), http.MethodPut, at, w, nil); err != nil || code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d, %v", name, code, err)
		}
	}
	want.Spec.Description = "the shop"
	v.wants(t, http.StatusOK, http.MethodPut, at, want, nil)
	sees(t, v, at, func(p *api.ProjectDetail) error {
		if p.Spec.Description != "the shop" || p.Version == made.Version || len(p.Can) != 2 {
			return fmt.Errorf("got %+v", p)
		}
		return nil
	})
	audited(t, v, "verb=update&outcome=allowed&name=shop", "the change", func(e *audit.Entry) bool {
		return e.Resource == "projects" && changed(e, "/description", `"the shop"`)
	})
	s.account("reader", "get").wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)
	v.wants(t, http.StatusConflict, http.MethodDelete, "/projects/default", nil, nil)
	v.wants(t, http.StatusNoContent, http.MethodDelete, at, nil, nil)
	v.wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)
}
