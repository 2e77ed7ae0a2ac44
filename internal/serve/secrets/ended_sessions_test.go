package secrets_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/serve/secrets"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &secrets.Hub)) }

// replicas of a server share the Secrets of a namespace.
type replicas struct {
	t       *testing.T
	secrets corev1client.SecretInterface
	now     time.Time // read while nobody changes it
}

func newReplicas(t *testing.T) *replicas {
	t.Helper()
	clients, err := kubernetes.NewForConfig(secrets.Hub)
	if err != nil {
		t.Fatal(err)
	}
	return &replicas{t, clients.CoreV1().Secrets(embeddedtest.Namespace(t, secrets.Hub)), time.Now()}
}

// start starts one, which ends with the test.
func (r *replicas) start() session.Endings {
	r.t.Helper()
	e, follow := secrets.EndingsAt(r.secrets, func() time.Time { return r.now }, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(r.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); follow(ctx) }()
	r.t.Cleanup(func() { stop(); <-done })
	embeddedtest.Eventually(r.t, func(context.Context) error {
		if err := e.Check(of("nobody", "0", r.now)); err != nil {
			return fmt.Errorf("a session that nobody ended: %w", err)
		}
		return nil
	})
	return e
}

func of(name, id string, began time.Time) *token.Token {
	return &token.Token{User: &auth.User{Name: name, Via: auth.Local}, ID: id, IssuedAt: began.Truncate(time.Second), Expires: began.Add(session.Life)}
}

func (r *replicas) ends(at session.Endings, all ...*token.Token) {
	r.t.Helper()
	for _, t := range all {
		if err := at.End(r.t.Context(), t); err != nil {
			r.t.Fatal(err)
		}
	}
}

// ended waits until a replica knows of the end of some sessions, and of no
// end of the others.
func (r *replicas) ended(at session.Endings, want bool, all ...*token.Token) {
	r.t.Helper()
	embeddedtest.Eventually(r.t, func(context.Context) error {
		for _, t := range all {
			if err := at.Check(t); errors.Is(err, session.ErrEnded) != want {
				return fmt.Errorf("session %s of %s: %w", t.ID, t.User.Name, errors.Join(err, errors.New("is not as it should be")))
			}
		}
		return nil
	})
}

func (r *replicas) secret() *corev1.Secret {
	r.t.Helper()
	s, err := r.secrets.Get(r.t.Context(), secrets.SessionsSecret, metav1.GetOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// What one replica ended has ended at all of them, and at those that start later.
func TestSignOutHoldsEverywhere(t *testing.T) {
	r := newReplicas(t)
	one, two := r.start(), r.start()
	mine, other, late := of("ann", "1", r.now), of("ann", "2", r.now), of("ann", "3", r.now.Add(2*time.Second))
	bobs := of("bob", "1", r.now)
	r.ends(one, mine)
	if err := one.Check(mine); !errors.Is(err, session.ErrEnded) {
		t.Errorf("when it was ended it counts: %v", err)
	}
	r.ended(two, true, mine)
	r.ended(two, false, other, bobs)
	if err := two.EndAll(t.Context(), other.User); err != nil {
		t.Fatal(err)
	}
	r.ended(one, true, mine, other)
	r.ended(one, false, late, bobs)
	if since := one.Since(late.User); !since.Equal(late.IssuedAt) || !one.Since(bobs.User).IsZero() {
		t.Errorf("sessions begin at %s, want %s", since, late.IssuedAt)
	}
	if err := one.EndAll(t.Context(), late.User); err != nil {
		t.Fatal(err)
	}
	r.ended(one, true, late) // which began in the same second
	late = of("ann", "4", r.now.Add(3*time.Second))
	restarted := r.start()
	r.ended(restarted, true, mine, other)
	r.ended(restarted, false, late, bobs)
	for name, text := range r.secret().Data {
		if strings.Contains(name+string(text), "ann") {
			t.Errorf("the Secret names somebody: %s", name)
		}
	}
}

// Before it was read nobody knows which sessions have ended.
func TestSessionsBeforeAnythingIsRead(t *testing.T) {
	e, _ := secrets.EndingsAt(nil, time.Now, slog.New(slog.DiscardHandler))
	var p *gitops.Problem
	if err := e.Check(of("ann", "1", time.Now())); !errors.As(err, &p) || p.Kind != gitops.Unreachable {
		t.Errorf("a session is answered with %v", err)
	}
	if err := e.End(t.Context(), of("ann", "1", time.Now())); !errors.As(err, &p) {
		t.Errorf("its end is answered with %v", err)
	}
}

// Replicas that write at once lose nothing of each other.
func TestSignOutsAtOnce(t *testing.T) {
	r := newReplicas(t)
	all := []session.Endings{r.start(), r.start()}
	var wg sync.WaitGroup
	for i, e := range all {
		wg.Go(func() {
			for n := range 4 {
				if err := e.End(t.Context(), of("ann", fmt.Sprintf("%d-%d", i, n), r.now)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, e := range all {
		for i := range all {
			for n := range 4 {
				r.ended(e, true, of("ann", fmt.Sprintf("%d-%d", i, n), r.now))
			}
		}
	}
}

// What is kept has an end: of one person, and of what would not count anyway.
func TestEndingsAreBounded(t *testing.T) {
	r := newReplicas(t)
	e := r.start()
	began := r.now.Add(-time.Hour)
	for n := range 40 {
		r.ends(e, of("ann", strconv.Itoa(n), began.Add(time.Duration(n)*time.Second)))
	}
	for n := range 40 {
		r.ended(e, true, of("ann", strconv.Itoa(n), began.Add(time.Duration(n)*time.Second)))
	}
	if kept := len(r.secret().Data); kept > 33 {
		t.Errorf("40 sessions of one person take %d entries", kept)
	}
	r.ended(e, true, of("ann", "older", began))
	r.ended(e, false, of("ann", "newer", began.Add(39*time.Second)), of("bob", "older", began))
	r.now = r.now.Add(2 * session.Life)
	r.ends(e, of("bob", "1", r.now))
	if kept := len(r.secret().Data); kept != 2 {
		t.Errorf("after their time there are %d entries, want one of each person", kept)
	}
	r.ended(e, true, of("ann", "older", began))
}

// A Secret that somebody deletes is made again.
func TestEndingsThatAreDeleted(t *testing.T) {
	r := newReplicas(t)
	e := r.start()
	first, second := of("ann", "1", r.now), of("ann", "2", r.now)
	r.ends(e, first)
	if err := r.secrets.Delete(t.Context(), secrets.SessionsSecret, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	r.ends(e, second)
	r.ended(e, true, second)
	r.ended(e, false, first)
}

// A Secret that describes a cluster is somebody else's, who can have it deleted:
// no end of a session is kept in it.
func TestEndingsInASecretThatDescribesACluster(t *testing.T) {
	r := newReplicas(t)
	planted := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secrets.SessionsSecret, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}}}
	if _, err := r.secrets.Create(t.Context(), planted, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	at, ann := r.start(), of("ann", "1", r.now)
	if err := at.End(t.Context(), ann); err == nil || !strings.Contains(err.Error(), "Secret "+secrets.SessionsSecret+" has the label") {
		t.Errorf("the end of a session is kept in it: %v", err)
	}
	if got := r.secret().Data; len(got) > 0 {
		t.Errorf("it has %v", got)
	}
	planted = r.secret()
	planted.Labels = nil
	if _, err := r.secrets.Update(t.Context(), planted, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error { return at.End(t.Context(), ann) })
	r.ended(at, true, ann)
}
