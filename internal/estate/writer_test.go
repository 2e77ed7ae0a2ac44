package estate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
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
