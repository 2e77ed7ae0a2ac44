package webhook

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hubOfSigning is a hub that takes a while to tell what a Secret has, or that it cannot.
type hubOfSigning struct {
	client.Reader

	mu     sync.Mutex
	github string
	err    error
	takes  time.Duration
	asked  int
}

func (h *hubOfSigning) Get(ctx context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	h.mu.Lock()
	h.asked++
	github, err, takes := h.github, h.err, h.takes
	h.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(takes):
	}
	if secret, ok := into.(*corev1.Secret); ok {
		secret.Data = map[string][]byte{"webhook.github.secret": []byte(github)}
	}
	return err
}

// becomes has the hub answer otherwise from now on.
func (h *hubOfSigning) becomes(github string, err error, takes time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.github, h.err, h.takes, h.asked = github, err, takes, 0
}

// flood has many ask at a time. It tells how long the slowest waits, and what one of
// them is told.
func flood(s *Signing) (waited time.Duration, said Secrets, known bool) {
	var all sync.WaitGroup
	var mu sync.Mutex
	began := time.Now()
	for range 100 {
		all.Go(func() {
			secrets, err := s.Secrets()
			mu.Lock()
			defer mu.Unlock()
			said, known = secrets, err == nil
		})
	}
	all.Wait()
	return time.Since(began), said, known
}

// TestSecretsThatCannotBeRead has strangers come while the hub is away: none is
// believed, and they wait for one another once at most.
func TestSecretsThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		hubConfig := &hubOfSigning{}
		s := NewSigning(hubConfig, types.NamespacedName{Name: SigningSecret}, slog.New(slog.NewTextHandler(&log, nil)))
		steps := []struct {
			reason, github string
			err            error
			takes          time.Duration
			asked, lines   int
			most           time.Duration
			known          bool
			want           string
		}{
			{"nobody is believed before it is known who signs", "", errors.New("away"), time.Hour, 1, 1, readSecretFor, false, ""},
			{"what fails at once does so once, too", "", errors.New("away"), 0, 1, 1, 0, false, ""},
			{"it is back", "gh", nil, time.Second, 1, 0, time.Second, true, "gh"},
			{"what was known holds while it is away again", "", errors.New("away"), time.Hour, 1, 1, readSecretFor, true, "gh"},
			{"there is another secret", "new", nil, 0, 1, 0, 0, true, "new"},
			{"the Secret is gone: it is known that nobody signs", "", apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, SigningSecret), 0, 1, 0, 0, true, ""},
		}
		for _, step := range steps {
			hubConfig.becomes(step.github, step.err, step.takes)
			log.Reset()
			for i := range 3 {
				waited, said, known := flood(s)
				if known != step.known || i > 0 && string(said.GitHub) != step.want {
					t.Errorf("%s: known %t: %s", step.reason, known, said.GitHub)
				}
				if most := step.most; waited > most || i > 0 && waited > 0 {
					t.Errorf("%s: they wait for %s, flood %d", step.reason, waited, i)
				}
			}
			if lines := strings.Count(log.String(), "\n"); hubConfig.asked != step.asked || lines != step.lines {
				t.Errorf("%s: the hub was asked %d times, and there are %d lines: %s", step.reason, hubConfig.asked, lines, log.String())
			}
			time.Sleep(secretsFor)
		}
	})
}

// TestNobodyWaitsForSecretsThatAreKnown has the hub take long: one reads.
func TestNobodyWaitsForSecretsThatAreKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hubConfig := &hubOfSigning{github: "gh"}
		s := NewSigning(hubConfig, types.NamespacedName{Name: SigningSecret}, slog.New(slog.DiscardHandler))
		flood(s)
		time.Sleep(secretsFor)
		hubConfig.becomes("new", nil, time.Second)
		reads := make(chan struct{})
		go func() {
			defer close(reads)
			_, _ = s.Secrets()
		}()
		synctest.Wait()
		if waited, said, _ := flood(s); waited > 0 || string(said.GitHub) != "gh" {
			t.Errorf("while one reads, others wait for %s and have %s", waited, said.GitHub)
		}
		<-reads
		if _, said, _ := flood(s); string(said.GitHub) != "new" {
			t.Errorf("what was read is not known: %s", said.GitHub)
		}
	})
}
