package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clientcmd "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/credential"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// door stands in front of the hub's API server and lets in who has the token
// of the day. When that changes, streams end that the old one opened.
type door struct {
	server *httptest.Server

	mu      sync.Mutex
	token   string
	day     context.Context //nolint:containedctx // requests end with it
	nightly context.CancelFunc
	refused int
}

func newDoor(t *testing.T, token string) *door {
	t.Helper()
	d, proxy := &door{}, toHub(t)
	d.takes(token)
	d.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		day, ok := d.knock(r.Header.Get("Authorization"))
		if !ok {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
				Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized, Message: "Unauthorized",
			})
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(day, cancel)()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	}))
	d.server.EnableHTTP2 = true
	d.server.StartTLS()
	t.Cleanup(func() { embeddedtest.Shut(d.server) })
	return d
}

// takes begins another day.
func (d *door) takes(token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.nightly != nil {
		d.nightly()
	}
	d.token, d.refused = token, 0
	d.day, d.nightly = context.WithCancel(context.Background())
}

func (d *door) knock(authorization string) (day context.Context, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if authorization != "Bearer "+d.token {
		d.refused++
		return nil, false
	}
	return d.day, true
}

// untilRefused waits until somebody came with a token that is over.
func (d *door) untilRefused(t *testing.T) {
	t.Helper()
	embeddedtest.Eventually(t, func(context.Context) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.refused == 0 {
			return errors.New("nobody came with the old token")
		}
		return nil
	})
}

// issuer is a program that prints a token that is told to it, as those of
// clouds do. It counts how often it runs.
type issuer struct {
	folder string
	t      *testing.T
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{folder: t.TempDir(), t: t}
	script := fmt.Sprintf("#!/bin/sh\ncd %q && echo run >>runs && cat credential\n", i.folder)
	if err := os.WriteFile(i.command(), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *issuer) command() string { return filepath.Join(i.folder, "get-token") }

// issues has the program print a token from now on.
func (i *issuer) issues(token string, expires time.Time) {
	i.t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": credential.Versions[0], "kind": "ExecCredential", "status": map[string]any{"token": token, "expirationTimestamp": expires},
	})
	if err != nil {
		i.t.Fatal(err)
	}
	put(i.t, filepath.Join(i.folder, "credential"), string(text))
}

// closes has the program fail from now on.
func (i *issuer) closes() {
	i.t.Helper()
	if err := os.Remove(filepath.Join(i.folder, "credential")); err != nil {
		i.t.Fatal(err)
	}
}

func (i *issuer) runs() int {
	i.t.Helper()
	text, err := os.ReadFile(filepath.Join(i.folder, "runs"))
	if err != nil {
		i.t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// listen keeps all that the engine logs, which is adjusted besides.
func (e *engine) listen(adjust ...func(*Config)) *records {
	r := &records{}
	e.adjust = func(c *Config) {
		for _, a := range adjust {
			a(c)
		}
		c.Log = slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return r
}

type records struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// withoutSecrets fails the test when logs, events or applications tell a word.
func (e *engine) withoutSecrets(logged *records, words ...string) {
	e.t.Helper()
	apps, events := &v1alpha1.ApplicationList{}, &corev1.EventList{}
	if err := errors.Join(e.List(e.t.Context(), apps, client.InNamespace(e.namespace)), e.List(e.t.Context(), events, client.InNamespace(e.namespace))); err != nil {
		e.t.Fatal(err)
	}
	told, err := json.Marshal([]any{apps, events})
	if err != nil {
		e.t.Fatal(err)
	}
	logged.mu.Lock()
	defer logged.mu.Unlock()
	if logged.text.Len() == 0 {
		e.t.Error("nothing was logged: the logs cannot be looked at")
	}
	for _, word := range words {
		if strings.Contains(logged.text.String(), word) || bytes.Contains(told, []byte(word)) {
			e.t.Errorf("logs, events or applications tell the token %s", word)
		}
	}
}

// complainsOf reports whether an application says words anywhere.
func complainsOf(words ...string) func(*v1alpha1.Application) bool {
	return func(app *v1alpha1.Application) bool {
		text := fmt.Sprint(app.Status.Conditions)
		if op := app.Status.OperationState; op != nil {
			text += op.Message
		}
		return containsAll(text, words)
	}
}

// threeWaves are those of a sync whose first one does not get healthy.
func threeWaves() map[string]string {
	return map[string]string{"app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1"), "app/third.yaml": deployment("third", "2", "")}
}

// TestIssuedTokenExpiresMidSync has a cluster cease to take a token between
// two waves, although it should be good for hours: another one is got, and the
// sync goes on. Then there is none to be had for a while.
func TestIssuedTokenExpiresMidSync(t *testing.T) {
	d, i := newDoor(t, "hunter-one"), newIssuer(t)
	i.issues("hunter-one", time.Now().Add(5*time.Hour))
	e := prepare(t, hubConfig, threeWaves())
	logged := e.listen(hasty)
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{v1alpha1.SettingExecAllow: i.command()}})
	e.restart()
	cfg := configOf(d.server)
	cfg.ExecProvider = &clientcmd.ExecConfig{Command: i.command(), APIVersion: credential.Versions[0]}
	e.describe("east", cfg)
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "east" })
	e.until("app", "waiting for the first wave", waitsFor("first"))
	first := e.uid("first")

	i.issues("hunter-two", time.Now().Add(5*time.Hour))
	d.takes("hunter-two")
	e.write("app/first.yaml", deployment("first", "0", ""))
	d.untilRefused(t)
	app := e.until("app", "good with the second token", good)
	if e.uid("first") != first || len(app.Status.OperationState.SyncResult.Resources) != 3 {
		t.Errorf("the first wave was made again, or the sync has %d objects", len(app.Status.OperationState.SyncResult.Resources))
	}
	if n := i.runs(); n != 2 {
		t.Errorf("the program ran %d times for 2 tokens", n)
	}

	e.write("app/first.yaml", deployment("first", "0", neverReady))
	e.write("app/second.yaml", strings.ReplaceAll(waved("second", "1"), `"1"}`+"\n", `"2"}`+"\n"))
	e.until("app", "waiting for the first wave again", waitsFor("first"))
	i.closes()
	d.takes("hunter-three")
	e.until("app", "telling that it cannot log in", complainsOf("cannot log in to cluster east", "correct data.config of Secret "))
	e.write("app/first.yaml", deployment("first", "0", ""))
	i.issues("hunter-three", time.Now().Add(5*time.Hour))
	e.untilVersion("second", "2")
	e.until("app", "good with the third token", good)
	e.withoutSecrets(logged, "hunter")
}

// TestWrittenTokenExpiresMidSync has a token that stands in the Secret: nobody
// but who wrote it can renew it. Until then the application tells where.
func TestWrittenTokenExpiresMidSync(t *testing.T) {
	d := newDoor(t, "hunter-one")
	e := prepare(t, hubConfig, threeWaves())
	logged := e.listen()
	e.restart()
	with := func(token string) *rest.Config {
		cfg := configOf(d.server)
		cfg.BearerToken = token
		return cfg
	}
	e.describe("east", with("hunter-one"))
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "east" })
	e.until("app", "waiting for the first wave", waitsFor("first"))
	first := e.uid("first")

	d.takes("hunter-two")
	e.write("app/first.yaml", deployment("first", "0", ""))
	e.until("app", "telling whose credentials are refused", complainsOf("cluster east refuses the credentials", "renew the credentials in Secret east"))
	secret := e.secret("east")
	before := secret.DeepCopy()
	secret.Data["config"] = []byte(e.connection(with("hunter-two")))
	if err := e.Patch(t.Context(), secret, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	app := e.until("app", "good with the second token", good)
	if e.uid("first") != first || len(app.Status.OperationState.SyncResult.Resources) != 3 {
		t.Errorf("the first wave was made again, or the sync has %d objects", len(app.Status.OperationState.SyncResult.Resources))
	}
	e.withoutSecrets(logged, "hunter")
}
