package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
)

// hub is the control plane of these tests.
var hub *rest.Config

func TestMain(m *testing.M) {
	jq.Worker()
	os.Exit(embeddedtest.Main(m, &hub))
}

const adminPassword = "correct-horse-battery"

// site is an engine with its API, as a program or a browser sees it.
type site struct {
	*apptest.Bench

	url    string
	adjust func(*app.Config)
}

// serveSite starts an engine that serves its API, with more of a configuration.
func serveSite(t *testing.T, files map[string]string, more ...func(*app.Config)) *site {
	t.Helper()
	s := prepareSite(t, files, more...)
	s.start()
	return s
}

// prepareSite makes one that start starts, once: it has one listener.
func prepareSite(t *testing.T, files map[string]string, more ...func(*app.Config)) *site {
	t.Helper()
	first, err := password.New(adminPassword)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	return &site{apptest.New(t, hub, install.Definitions, files), "http://" + l.Addr().String(), func(c *app.Config) {
		c.Serving = listener.At{Listener: l, First: first}
		for _, adjust := range more {
			adjust(c)
		}
	}}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// start starts the engine in this process; it ends with the test, or by stop.
func (s *site) start() (stop func()) {
	s.T.Helper()
	level := slog.LevelWarn
	if testing.Verbose() {
		level = slog.LevelInfo
	}
	cfg := app.Config{
		Hub: s.Hub, Namespace: s.Namespace, CacheDir: s.T.TempDir(), Interval: time.Hour, LocalInterval: 50 * time.Millisecond,
		Mirrors: []source.Mirror{{URL: apptest.RepoURL, Path: s.Folder}},
		Log:     slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	}
	s.adjust(&cfg)
	made, err := app.New(cfg)
	if err != nil {
		s.T.Fatal(err)
	}
	return s.Running(made.Run)
}

// visitor is somebody who uses a site.
type visitor struct {
	site   *site
	client http.Client
	token  string
	// reason is given for what is asked.
	reason string
	// refusal is the last answer, when it was one.
	refusal string
}

func (s *site) visitor(token string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return &visitor{site: s, client: http.Client{Jar: jar}, token: token}
}

// do sends a request, and decodes a good answer.
func (v *visitor) do(ctx context.Context, method, path string, body, into any) (int, error) {
	var text io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		text = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, v.site.url+api.Prefix+path, text)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	if v.reason != "" {
		r.Header.Set(trail.ReasonHeader, v.reason)
	}
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	resp, err := v.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	v.refusal = ""
	if resp.StatusCode >= http.StatusBadRequest {
		v.refusal = string(data)
	}
	if err != nil || into == nil || resp.StatusCode >= http.StatusBadRequest {
		return resp.StatusCode, err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return resp.StatusCode, fmt.Errorf("%w: %s", err, data)
	}
	return resp.StatusCode, nil
}

// wants sends a request until it is answered as it should be: a site that has
// just started knows nothing yet.
func (v *visitor) wants(t *testing.T, code int, method, path string, body, into any) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		got, err := v.do(ctx, method, path, body, into)
		if err == nil && got != code {
			err = fmt.Errorf("%s %s: %d, want %d: %s", method, path, got, code, v.refusal)
		}
		return err
	})
}

// sees waits until what is read is as it should be.
func sees[T any](t *testing.T, v *visitor, path string, right func(*T) error) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var got T
		code, err := v.do(ctx, http.MethodGet, path, nil, &got)
		if err != nil || code != http.StatusOK {
			return errors.Join(err, fmt.Errorf("%s: %d", path, code))
		}
		return right(&got)
	})
}

func (v *visitor) signIn(t *testing.T) {
	t.Helper()
	v.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "admin", Password: adminPassword}, nil)
}

const pageObjects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: %s}
---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: hunter2}
`

func manual(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil }

func TestAPIFromSignInToRollback(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	v := s.visitor("")
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	v.wants(t, http.StatusUnauthorized, http.MethodGet, "/applications", nil, nil)
	v.wants(t, http.StatusUnauthorized, http.MethodPost, "/session", api.Credentials{Username: "admin", Password: "wrong"}, nil)
	v.signIn(t)
	sees(t, v, "/applications?sync=OutOfSync", func(p *view.Page) error {
		if p.Total != 1 || p.Items[0].Cluster != "in-cluster" {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	})
	syncsByAPI(t, s, v, at, "red")
	sees(t, v, at+"/tree", func(tree *api.Tree) error {
		if len(tree.Nodes) != 2 || tree.Nodes[0].Missing || tree.Partial != "" {
			return fmt.Errorf("the tree has %+v", tree)
		}
		return nil
	})
	showsNoSecret(t, s, v, at)
	s.Write("app/a.yaml", fmt.Sprintf(pageObjects, "blue"))
	sees(t, v, at+"/diff", func(all *[]api.Difference) error {
		if len(*all) != 1 || !strings.Contains((*all)[0].Desired, "blue") || (*all)[0].Verb != "update" {
			return fmt.Errorf("the difference is %+v", *all)
		}
		return nil
	})
	syncsByAPI(t, s, v, at, "blue")
	rollsBackByAPI(t, s, v, at)
	v.wants(t, http.StatusAccepted, http.MethodDelete, at+"?objects=orphan", nil, nil)
	v.wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)
	if cm, err := s.ConfigMap("settings"); err != nil || cm.Data["colour"] != "red" {
		t.Errorf("an orphaned object is %v, %v", cm, err)
	}
}

// syncsByAPI asks for a sync, follows it, and sees what it did.
func syncsByAPI(t *testing.T, s *site, v *visitor, at, colour string) {
	t.Helper()
	var asked api.Asked
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{Prune: true}, &asked)
	follow := strings.TrimPrefix(asked.Follow, api.Prefix)
	v.wants(t, http.StatusOK, http.MethodGet, follow, nil, nil) // at once, whether the watch has told of it or not
	sees(t, v, follow, func(f *api.Followed) error {
		if f.State != batch.Done || f.Phase != "Succeeded" || f.Ended.IsZero() || f.By != "admin" || f.Application == nil {
			return fmt.Errorf("the operation is %+v", f)
		}
		return nil
	})
	sees(t, v, at, func(a *api.Application) error {
		if a.Pending || a.Operation == nil || a.Operation.ID != asked.ID || a.Operation.Phase != "Succeeded" || a.Operation.By != "admin" || a.Row.Sync != "Synced" {
			return fmt.Errorf("the operation is %+v, sync %s", a.Operation, a.Row.Sync)
		}
		cm, err := s.ConfigMap("settings")
		if err == nil && cm.Data["colour"] != colour {
			err = fmt.Errorf("the colour is %s", cm.Data["colour"])
		}
		return err
	})
}

// showsNoSecret sees that a Secret shows no value, and that objects of others are not shown.
func showsNoSecret(t *testing.T, s *site, v *visitor, at string) {
	t.Helper()
	var o api.Object
	v.wants(t, http.StatusOK, http.MethodGet, at+"/object?version=v1&kind=Secret&objectName=token&objectNamespace="+s.Namespace, nil, &o)
	if o.Live == "" || o.Desired == "" || strings.Contains(o.Live+o.Desired, "hunter2") || strings.Contains(o.Live+o.Desired, "aHVudGVyMg") {
		t.Errorf("the Secret is shown as %+v", o)
	}
	v.wants(t, http.StatusNotFound, http.MethodGet, at+"/object?version=v1&kind=ConfigMap&objectName=kube-root-ca.crt&objectNamespace="+s.Namespace, nil, nil)
}

func rollsBackByAPI(t *testing.T, s *site, v *visitor, at string) {
	t.Helper()
	var first, last string
	sees(t, v, at+"/history", func(all *[]struct{ ID string }) error {
		if len(*all) != 2 {
			return fmt.Errorf("%d syncs are kept", len(*all))
		}
		last, first = (*all)[0].ID, (*all)[1].ID
		return nil
	})
	sees(t, v, at+"/history/"+first+"/compare/"+last, func(all *[]api.Difference) error {
		if len(*all) != 1 || (*all)[0].Kind != "ConfigMap" {
			return fmt.Errorf("what differs is %+v", *all)
		}
		return nil
	})
	sees(t, v, at+"/history/"+last, func(tr *syncs.Trace) error {
		if tr.Sync.By != "admin" || len(tr.Sync.Waves) == 0 {
			return fmt.Errorf("the sync is %+v", tr.Sync)
		}
		return nil
	})
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/rollback", api.Rollback{Sync: first, Prune: true}, nil)
	embeddedtest.Eventually(t, func(context.Context) error {
		cm, err := s.ConfigMap("settings")
		if err == nil && cm.Data["colour"] != "red" {
			err = fmt.Errorf("the colour is %s", cm.Data["colour"])
		}
		return err
	})
}

// Who Kubernetes knows may what Kubernetes lets them, and writes by their own rights.
func TestAPIByKubernetesRights(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	reader, writer, none := s.account("reader", "get", "list"), s.account("writer", "get", "list", "patch"), s.account("none")
	reader.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	reader.wants(t, http.StatusForbidden, http.MethodPost, at+"/sync", api.Sync{}, nil)
	writer.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	app := s.Until("app", "synced", func(app *v1alpha1.Application) bool { return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced })
	if by := app.Status.OperationState.Operation.InitiatedBy.Username; by != "system:serviceaccount:"+s.Namespace+":writer" {
		t.Errorf("the sync is by %q", by)
	}
	writer.wants(t, http.StatusForbidden, http.MethodDelete, at, nil, nil)
	none.wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)
	s.visitor("eyJhbGciOiJub25lIn0.e30.").wants(t, http.StatusUnauthorized, http.MethodGet, at, nil, nil)
}

// account is a service account that may what is named with Applications.
func (s *site) account(name string, verbs ...string) *visitor {
	s.T.Helper()
	if len(verbs) == 0 {
		return s.permitted(name)
	}
	return s.permitted(name, rbacv1.PolicyRule{APIGroups: []string{v1alpha1.Group}, Resources: []string{"applications"}, Verbs: verbs})
}

// permitted is a service account with a role.
func (s *site) permitted(name string, rules ...rbacv1.PolicyRule) *visitor {
	s.T.Helper()
	ctx := s.T.Context()
	meta := metav1.ObjectMeta{Namespace: s.Namespace, Name: name}
	made := []client.Object{&corev1.ServiceAccount{ObjectMeta: meta}}
	if len(rules) > 0 {
		made = append(made, &rbacv1.Role{ObjectMeta: meta, Rules: rules},
			&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: name}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: s.Namespace}}})
	}
	for _, o := range made {
		if err := s.Create(ctx, o); err != nil {
			s.T.Fatal(err)
		}
	}
	clients, err := kubernetes.NewForConfig(s.Hub)
	if err != nil {
		s.T.Fatal(err)
	}
	token, err := clients.CoreV1().ServiceAccounts(s.Namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	return s.visitor(token.Status.Token)
}

// Accounts and the policy are read as Argo CD has them, and a change of the
// policy counts at once.
func TestAPIByPolicy(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	hash, err := password.New("ann's password")
	if err != nil {
		t.Fatal(err)
	}
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.SettingsName}, Data: map[string]string{"accounts.ann": "login"}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: account.Secret}, StringData: map[string]string{"accounts.ann.password": hash.Text()}}
	policy := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: rbac.ConfigMap}, Data: map[string]string{"policy.csv": "p, ann, applications, get, default/*, allow\n"}}
	for _, o := range []client.Object{settings, secret, policy} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	ann := s.visitor("")
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "ann", Password: "ann's password"}, nil)
	ann.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	ann.wants(t, http.StatusForbidden, http.MethodPost, at+"/sync", api.Sync{}, nil)
	policy.Data["policy.csv"] += "p, ann, applications, sync, default/*, allow\n"
	if err := s.Update(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	ann.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	ann.wants(t, http.StatusNoContent, http.MethodDelete, "/session", nil, nil)
	ann.wants(t, http.StatusUnauthorized, http.MethodGet, at, nil, nil)
}

// A page that follows sees changes as they happen.
func TestAPIFollowsChanges(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	v := s.visitor("")
	v.signIn(t)
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+api.Prefix+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	s.App("app", "app")
	var seen strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(seen.String(), `"health":"Healthy"`) {
		n, err := resp.Body.Read(buffer)
		seen.Write(buffer[:n])
		if err != nil {
			t.Fatalf("the stream ended before the application was healthy: %v\n%s", err, seen.String())
		}
	}
}

// An Application that was made again under its name has a history of its own.
func TestHistoryOfAnApplicationMadeAgain(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	alone := func(app *v1alpha1.Application) { app.Spec.SyncPolicy, app.Finalizers = nil, nil }
	first := s.App("app", "app", alone)
	v, at := s.visitor(""), "/applications/"+s.Namespace+"/"+s.ID("app")
	v.signIn(t)
	syncsByAPI(t, s, v, at, "red")
	var before string
	sees(t, v, at+"/history", func(all *[]struct{ ID string }) error {
		if len(*all) != 1 {
			return fmt.Errorf("%d syncs are kept", len(*all))
		}
		before = (*all)[0].ID
		return nil
	})
	v.wants(t, http.StatusOK, http.MethodGet, at+"/history/"+before, nil, nil)
	if err := s.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	again := s.App("app", "app", alone)
	sees(t, v, at, func(a *api.Application) error {
		if a.Row.UID != string(again.UID) {
			return fmt.Errorf("the UID is %s", a.Row.UID)
		}
		return nil
	})
	var after []struct{ ID string }
	v.wants(t, http.StatusOK, http.MethodGet, at+"/history", nil, &after)
	if len(after) != 0 {
		t.Errorf("it has the syncs of the one before: %+v", after)
	}
	v.wants(t, http.StatusNotFound, http.MethodGet, at+"/history/"+before, nil, nil)
	v.wants(t, http.StatusNotFound, http.MethodGet, at+"/history/"+before+"/compare/"+before, nil, nil)
	v.wants(t, http.StatusNotFound, http.MethodPost, at+"/rollback", api.Rollback{Sync: before}, nil)
}
