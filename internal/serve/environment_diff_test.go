package serve

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/test/await"
)

// renderingOf is what an Application was synced to.
func renderingOf(digest, namespace, env string, replicas int64) *gitops.Rendering {
	object := func(apiVersion, kind, name string, more map[string]any) gitops.Manifest {
		o := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{
			"name": name, "namespace": namespace, "labels": map[string]any{"app.kubernetes.io/instance": "web-" + env},
		}}
		if kind == "Secret" {
			_ = unstructured.SetNestedField(o, "kingfisher-"+env, "metadata", "annotations", "team.example.com/note")
		}
		for k, v := range more {
			o[k] = v
		}
		return gitops.Manifest{Object: &unstructured.Unstructured{Object: o}}
	}
	return &gitops.Rendering{Digest: digest, Manifests: []gitops.Manifest{
		object("apps/v1", "Deployment", "web-"+env, map[string]any{"spec": map[string]any{"replicas": replicas}}),
		object("v1", "ConfigMap", env+"-settings", map[string]any{"data": map[string]any{"colour": "blue"}}),
		object("v1", "Secret", "login", map[string]any{"stringData": map[string]any{"password": "hunter-" + env}}),
	}}
}

// historyOf is a history that takes what is told to it until the test ends.
func historyOf(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.New(store.Options{
		URL: filepath.Join(t.TempDir(), "history.db"), Key: store.Key{1},
		FlushWithin: await.Limit, CloseWithin: await.Limit, AnswerWithin: await.Limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Objects that are called by their environment are the same on both sides, and
// nothing secret is shown of what differs.
func TestBetweenEnvironments(t *testing.T) {
	s := historyOf(t)
	at := time.Now().Add(-time.Hour)
	sides := map[string]environment.Side{}
	for i, env := range []string{"dev", "prod"} {
		row := &view.Row{Namespace: "argocd", Name: "web-" + env, Cluster: "c-" + env, Destination: "shop-" + env}
		side := environment.SideOf(row, env)
		side.Sync = history.ID(env, at)
		sides[env] = side
		r := renderingOf("digest-"+env, row.Destination, env, int64(1+2*i))
		s.Rendering(r)
		s.Sync(history.Sync{ID: side.Sync, App: history.App{Namespace: "argocd", Name: row.Name}, Cause: history.Automated, Phase: "Succeeded", Started: at, Finished: at, Rendering: r.Digest})
	}
	hidden := func() []string { return []string{"team.example.com/note"} }
	got, err := past{Store: s, annotations: hidden}.Between(t.Context(), sides["dev"], sides["prod"])
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Objects) != 2 || got.Objects[0].Kind != "Deployment" || got.Objects[0].Verb != "update" || got.Objects[0].Name != "web-prod" || got.Objects[1].Kind != "Secret" {
		t.Fatalf("what differs are the replicas and the password: %+v", got.Objects)
	}
	if c := got.Objects[0].Changes; len(c) != 1 || c[0].Path != "spec.replicas" {
		t.Errorf("the Deployment: %+v", c)
	}
	if text := fmt.Sprintf("%+v", got.Objects[1]); strings.Contains(text, "hunter") || strings.Contains(text, "kingfisher") || len(got.Objects[1].Changes) != 2 {
		t.Errorf("a password or an annotation is shown, or that it differs is not: %s", text)
	}
}
