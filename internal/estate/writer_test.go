package estate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// mute is a hub that takes writes and says nothing.
type mute struct{ client.Client }

func (mute) Create(ctx context.Context, _ client.Object, _ ...client.CreateOption) error {
	<-ctx.Done()
	return ctx.Err()
}

func (mute) Update(ctx context.Context, _ client.Object, _ ...client.UpdateOption) error {
	<-ctx.Done()
	return ctx.Err()
}

func (mute) Delete(ctx context.Context, _ client.Object, _ ...client.DeleteOption) error {
	<-ctx.Done()
	return ctx.Err()
}

// labelled is a hub that has one Secret, which describes a cluster by its label.
type labelled struct {
	client.Client

	name string
}

func (l labelled) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	o.SetName(l.name)
	o.SetResourceVersion("1")
	o.SetLabels(map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster})
	return nil
}

// What the engine goes by is no cluster of somebody's to change or delete,
// whatever it is labelled as.
func TestSecretsOfTheEngineAreNobodys(t *testing.T) {
	for name, whose := range map[string]bool{"cluster-prod": true, "argocd-prod": true, "causeway-sessions": false, "argocd-secret": false} {
		w := &Writer{Engine: labelled{name: name}}
		_, err := w.secret(t.Context(), name, "1", "cluster prod", clustersecret.IsCluster)
		if (err == nil) != whose || err != nil && !strings.Contains(err.Error(), "cluster prod is in Secret "+name) {
			t.Errorf("of Secret %s: %v", name, err)
		}
	}
}

// Nobody waits without end for a hub that says nothing.
func TestWritesAreBounded(t *testing.T) {
	w, u := &Writer{Engine: mute{}}, &auth.User{Name: "ann", Via: auth.Local}
	made, there := &v1alpha1.AppProject{}, &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
	for name, do := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error { return w.put(ctx, u, &audit.Entry{}, "project shop", made) },
		"update": func(ctx context.Context) error { return w.put(ctx, u, &audit.Entry{}, "project shop", there) },
		"delete": func(ctx context.Context) error { return w.remove(ctx, u, &audit.Entry{}, "project shop", there) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if err := do(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != writeTime {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}
