package serve

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/server/api"
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

// muteSecrets are the same.
type muteSecrets struct{ corev1client.SecretInterface }

func (muteSecrets) List(ctx context.Context, _ metav1.ListOptions) (*corev1.SecretList, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (muteSecrets) Patch(ctx context.Context, _ string, _ types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Secret, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Nobody waits without end for a hub that says nothing.
func TestHubThatSaysNothing(t *testing.T) {
	u, k := &auth.User{Name: "ann", Via: auth.Local}, view.Key{Namespace: "argocd", Name: "web"}
	on := &Options{Client: mute{}}
	operate := newOperator(on, &index{rows: view.NewIndex(time.Unix(1, 0))}, nil)
	secret := &keptSecret{secrets: muteSecrets{}, log: slog.New(slog.DiscardHandler), taken: func(*corev1.Secret) {}}
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
		"refresh a set":  {func(ctx context.Context) error { return newSets(on, nil).RefreshSet(ctx, u, set) }, readTime},
		"certificate":    {func(ctx context.Context) error { _, err := (&keptPair{client: mute{}}).Pair(ctx); return err }, changeTime},
		"read a Secret":  {func(ctx context.Context) error { _, err := secret.list(ctx); return err }, readTime},
		"write a Secret": {func(ctx context.Context) error { return secret.write(ctx, map[string]any{"a": nil}) }, readTime},
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

// Who goes away while somebody else makes a key is not kept.
func TestKeysAreMadeInTurn(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := ringOf(t, &now, 7)
	r.making <- struct{}{}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, _, err := r.Create(ctx, &auth.User{Name: "ann", Via: auth.Local}, &api.NewKey{Name: "ci"}); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// What was noted of a key goes with it.
func TestNotesOfRevokedKeysGo(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	k, text := key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: auth.Local}, "", now), key.Scope{ReadOnly: true}, now, time.Hour)
	r := ringOf(t, &now, 7, k)
	if _, err := r.Find(t.Context(), text); err != nil || len(r.notes) != 1 {
		t.Fatalf("there are %d notes, %v", len(r.notes), err)
	}
	r.put(secretOf(t, 8))
	r.noteNow(t.Context())
	if len(r.notes) != 0 {
		t.Errorf("there are %d notes of a key that is gone", len(r.notes))
	}
}
