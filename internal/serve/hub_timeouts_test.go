package serve

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
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// mute is a hub that takes requests and says nothing.
type mute struct{ client.Client }

func (mute) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	<-ctx.Done()
	return ctx.Err()
}

func (mute) Patch(ctx context.Context, _ client.Object, _ client.Patch, _ ...client.PatchOption) error {
	<-ctx.Done()
	return ctx.Err()
}

// Nobody waits without end for a hub that says nothing.
func TestHubThatSaysNothing(t *testing.T) {
	u, k := &auth.User{Name: "ann", Via: auth.Local}, view.Key{Namespace: "argocd", Name: "web"}
	on := &Options{Client: mute{}}
	operate := newOperator(on, &index{rows: view.NewIndex(time.Unix(1, 0))}, nil)
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "webs"}}
	for name, tc := range map[string]struct {
		do   func(context.Context) error
		want time.Duration
	}{
		"change": {func(ctx context.Context) error {
			return operate.change(ctx, u, view.Granted{Key: k, Project: "default"}, &audit.Entry{}, func(*v1alpha1.Application) error { return nil })
		}, changeTime},
		"approve a set": {func(ctx context.Context) error {
			return approver{operate}.ApproveSet(ctx, u, set, "digest", time.Now().Add(time.Hour))
		}, changeTime},
		"refresh a set": {func(ctx context.Context) error { return newSets(on, nil).RefreshSet(ctx, u, set) }, readTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if err := tc.do(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != tc.want {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}
