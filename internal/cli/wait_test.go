package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// output is text that is looked at while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// begun is a command that runs beside its test.
type begun struct {
	t        *testing.T
	out, err output
	code     chan int
}

func begin(t *testing.T, args ...string) *begun {
	t.Helper()
	b := &begun{t: t, code: make(chan int, 1)}
	go func() {
		b.code <- Run(t.Context(), "1.2.3", args, command.Streams{In: strings.NewReader(""), Out: &b.out, Err: &b.err})
	}()
	return b
}

// says waits until the command has told something of its progress.
func (b *begun) says(text string) {
	b.t.Helper()
	embeddedtest.Eventually(b.t, func(context.Context) error {
		if !strings.Contains(b.err.String(), text) {
			return fmt.Errorf("it does not say %q: %s", text, b.err.String())
		}
		return nil
	})
}

func (b *begun) ends(code int, words ...string) {
	b.t.Helper()
	if got := <-b.code; got != code {
		b.t.Errorf("it ends with %d, want %d: %s%s", got, code, b.out.String(), b.err.String())
	}
	for _, word := range words {
		if !strings.Contains(b.out.String(), word) {
			b.t.Errorf("it does not print %q: %s%s", word, b.out.String(), b.err.String())
		}
	}
}

// waitHub is a hub on which the test is the engine.
type waitHub struct {
	t         *testing.T
	client    client.Client
	namespace string
	at        []string
}

func newWaitHub(t *testing.T) *waitHub {
	t.Helper()
	plane := sharedPlane(t)
	config := embeddedtest.Config(t, plane)
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	hub, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	namespace := embeddedtest.Namespace(t, config)
	t.Setenv("HOME", t.TempDir())
	return &waitHub{t: t, client: hub, namespace: namespace, at: []string{"--kubeconfig", plane.Kubeconfig(), "-n", namespace}}
}

func (h *waitHub) create(name string, as *v1alpha1.Application) {
	h.t.Helper()
	a := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: h.namespace, Labels: map[string]string{"team": "web"}}, Status: as.Status, Spec: v1alpha1.ApplicationSpec{
		Project: "default", Destination: v1alpha1.ApplicationDestination{Name: "dev", Namespace: "default"},
		Source: &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Path: "."},
	}}
	embeddedtest.Eventually(h.t, func(ctx context.Context) error { return client.IgnoreAlreadyExists(h.client.Create(ctx, a.DeepCopy())) })
}

func (h *waitHub) read(name string) *v1alpha1.Application {
	h.t.Helper()
	a := &v1alpha1.Application{}
	if err := h.client.Get(h.t.Context(), client.ObjectKey{Namespace: h.namespace, Name: name}, a); err != nil {
		h.t.Fatal(err)
	}
	return a
}

// shows writes what the engine would, and takes away that it was asked to look.
func (h *waitHub) shows(name string, as *v1alpha1.Application) {
	h.t.Helper()
	a := h.read(name)
	before := a.DeepCopy()
	a.Status = as.Status
	delete(a.Annotations, v1alpha1.AnnotationRefresh)
	if err := h.client.Patch(h.t.Context(), a, client.MergeFrom(before)); err != nil {
		h.t.Fatal(err)
	}
}

// asked waits until the engine is asked to look, and tells how.
func (h *waitHub) asked(name string) (how v1alpha1.RefreshType) {
	h.t.Helper()
	embeddedtest.Eventually(h.t, func(context.Context) (err error) {
		kind, ok := h.read(name).RefreshRequested()
		if how = kind; !ok {
			err = errors.New("nobody has asked the engine to look")
		}
		return err
	})
	return how
}

func (h *waitHub) begin(args ...string) *begun {
	h.t.Helper()
	return begin(h.t, append(args, h.at...)...)
}

func failedAtNew(a *v1alpha1.Application) {
	a.Status.OperationState.Phase, a.Status.OperationState.Message = v1alpha1.OperationFailed, "a hook failed"
	a.Status.OperationState.SyncResult.Revision = clitest.NewCommit
}

func found(revision string) func(*v1alpha1.Application) {
	return func(a *v1alpha1.Application) { a.Status.Sync.Revision = revision }
}

func outOfSync(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }

// Waits, at one hub: the state that there is, one that is asked for first, and
// all the ways in which a wait ends.
func TestWait(t *testing.T) {
	h := newWaitHub(t)
	h.create("shop", clitest.Settled())
	t.Run("WhatIsSo", func(*testing.T) {
		h.begin("wait", "shop").ends(command.ExitFine, "shop  reached  Synced  Healthy  Succeeded  5c9026b")
	})
	t.Run("RefreshDoesNotReportTheOldState", func(t *testing.T) {
		w := h.begin("wait", "shop", "--refresh=hard")
		w.says("the engine has not looked yet")
		if how := h.asked("shop"); how != v1alpha1.RefreshTypeHard {
			t.Errorf("it is asked for %q", how)
		}
		h.shows("shop", clitest.Settled(outOfSync, found(clitest.NewCommit)))
		w.says("shop: OutOfSync, Healthy")
		h.shows("shop", clitest.Settled(found(clitest.NewCommit)))
		w.ends(command.ExitFine, "7777777")
	})
	t.Run("RevisionIsWaitedFor", func(t *testing.T) {
		h.shows("shop", clitest.Settled())
		w := h.begin("wait", "shop", "--revision", clitest.NewCommit[:12], "-o", "json")
		h.asked("shop")
		h.shows("shop", clitest.Settled())
		w.says("the engine has found 5c9026b, not 7777777")
		h.shows("shop", clitest.Settled(found(clitest.NewCommit)))
		w.ends(command.ExitFine)
		var got []struct {
			Result, Namespace string
			Revisions         []string
		}
		if err := json.Unmarshal([]byte(w.out.String()), &got); err != nil || len(got) != 1 || got[0].Result != "reached" || got[0].Revisions[0] != clitest.NewCommit || got[0].Namespace != h.namespace {
			t.Errorf("%v: %s", err, w.out.String())
		}
	})
	t.Run("FailureEndsIt", func(*testing.T) {
		w := h.begin("wait", "shop", "--refresh", "--for", "operation")
		h.asked("shop")
		h.shows("shop", clitest.Settled(outOfSync, found(clitest.NewCommit), failedAtNew))
		w.ends(command.ExitFailed, "failed", "a hook failed")
	})
	t.Run("TimeEndsIt", func(*testing.T) {
		h.shows("shop", clitest.Settled(outOfSync))
		h.begin("wait", "shop", "--timeout", "1s").ends(command.ExitLate, "shop  late", "OutOfSync, Healthy")
	})
	t.Run("SelectedTogether", func(*testing.T) {
		h.create("cart", clitest.Settled())
		w := h.begin("wait", "-l", "team=web", "--project", "default")
		w.says("cart: reached")
		h.shows("shop", clitest.Settled())
		w.ends(command.ExitFine, "cart  reached", "shop  reached")
		h.begin("wait", "-l", "team=none").ends(command.ExitFailed)
	})
	t.Run("FailureOfOneAmongMany", func(*testing.T) {
		h.shows("shop", clitest.Settled(outOfSync, found(clitest.NewCommit), failedAtNew))
		h.begin("wait", "shop", "cart").ends(command.ExitFailed, "cart  reached", "shop  failed")
	})
	t.Run("DeletedInBetween", func(t *testing.T) {
		h.shows("shop", clitest.Settled(outOfSync))
		w := h.begin("wait", "shop", "cart")
		gone := h.begin("wait", "shop", "nobody", "--for", "deleted")
		w.says("shop: OutOfSync")
		gone.says("shop: nobody has deleted it")
		if err := h.client.Delete(t.Context(), h.read("shop")); err != nil {
			t.Fatal(err)
		}
		w.ends(command.ExitFailed, "it was deleted")
		gone.ends(command.ExitFine, "nobody  reached", "shop    reached")
	})
	t.Run("Unknown", func(t *testing.T) {
		w := h.begin("wait", "crat")
		if w.ends(command.ExitFailed); !strings.Contains(w.err.String(), `did you mean "cart"`) {
			t.Errorf("it says %s", w.err.String())
		}
	})
	t.Run("GetAfterALook", func(t *testing.T) {
		g := h.begin("get", "app", "cart", "--refresh")
		if how := h.asked("cart"); how != v1alpha1.RefreshTypeNormal {
			t.Errorf("it is asked for %q", how)
		}
		h.shows("cart", clitest.Settled(found(clitest.NewCommit)))
		g.ends(command.ExitFine, "7777777")
	})
	t.Run("OtherCommandsEndInTime", func(*testing.T) {
		h.create("late", clitest.Settled())
		for _, limit := range []string{"1ns", "100ms"} { // before it is asked for, and while it is followed
			h.begin("sync", "late", "--timeout", limit).ends(command.ExitLate)
		}
	})
}

func TestWaitsThatCannotBeMeant(t *testing.T) {
	cases := map[string][]string{
		"timeout": {"wait", "shop", "--timeout", "-1s"}, "sync for": {"sync", "shop", "--timeout", "-1s"}, "base": {"preview", "--base", ""},
		"a whole list": {"get", "apps", "--refresh"}, "another kind": {"get", "cluster", "dev", "--refresh"}, "how": {"get", "app", "shop", "--refresh=soft"},
	}
	for name, args := range cases {
		if got := invoke(t, args...); got.code != command.ExitUsage {
			t.Errorf("%s: %v: %+v", name, args, got)
		}
	}
}
