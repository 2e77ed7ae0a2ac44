package secrets

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
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/follow"
)

// rareSecrets are told of by an API server that does not answer at first, and
// whose first write hangs.
type rareSecrets struct {
	corev1client.SecretInterface

	fails  int
	lists  []time.Time
	writes int
}

func (r *rareSecrets) List(context.Context, metav1.ListOptions) (*corev1.SecretList, error) {
	r.lists = append(r.lists, time.Now())
	if len(r.lists) <= r.fails {
		return nil, errors.New("connection refused")
	}
	return &corev1.SecretList{}, nil
}

func (*rareSecrets) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, errors.New("connection reset")
}

func (r *rareSecrets) Patch(ctx context.Context, _ string, _ types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Secret, error) {
	if r.writes++; r.writes == 1 {
		<-ctx.Done()
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: SessionsSecret, ResourceVersion: "2"}}, ctx.Err()
}

// What the API server tells when it is back is followed from then on, however
// long it was away.
func TestFollowingIsSoonAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secrets := &rareSecrets{fails: 9}
		k := &keptSecret{secrets: secrets, log: slog.New(slog.DiscardHandler), taken: func(*corev1.Secret) {}}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		k.Follow(ctx)
		if out, in := secrets.lists[9].Sub(secrets.lists[8]), secrets.lists[11].Sub(secrets.lists[10]); out != follow.MaxPause || in != 2*follow.Pause {
			t.Errorf("it is read after %s while the API server is away, and then after %s", out, in)
		}
	})
}

// Who waits for somebody else to write has as long to write as they had.
func TestWritersHaveTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := NewEndings(&rareSecrets{}, slog.New(slog.DiscardHandler))
		e.put(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: SessionsSecret, ResourceVersion: "1"}})
		ends := make(chan error)
		for _, name := range []string{"ann", "bob"} {
			go func() {
				ends <- e.End(t.Context(), &token.Token{User: &auth.User{Name: name, Via: auth.Local}, ID: "1", IssuedAt: time.Now()})
			}()
		}
		if one, other := <-ends, <-ends; (one == nil) == (other == nil) { // they end at the same moment, in any order
			t.Errorf("one hangs, and the one after does not: %v, %v", one, other)
		}
	})
}

// muteSecrets are of a hub that takes requests and says nothing.
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
func TestSecretsOfAHubThatSaysNothing(t *testing.T) {
	secret := &keptSecret{secrets: muteSecrets{}, log: slog.New(slog.DiscardHandler), taken: func(*corev1.Secret) {}}
	for name, do := range map[string]func(context.Context) error{
		"read":  func(ctx context.Context) error { _, err := secret.list(ctx); return err },
		"write": func(ctx context.Context) error { return secret.write(ctx, map[string]any{"a": nil}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if err := do(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != readTime {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}
