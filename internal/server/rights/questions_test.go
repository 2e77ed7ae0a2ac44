package rights

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// held allows what it is asked, one question for each answer that it is given.
type held struct {
	authorizationclient.SubjectAccessReviewInterface

	begun  chan string // who asked for what
	answer chan struct{}
}

func (h *held) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	h.begun <- r.Spec.User + " " + r.Spec.ResourceAttributes.Name
	<-h.answer
	r.Status.Allowed = true
	return r, nil
}

// asked takes who asked for what since the last time.
func (h *held) asked() (all []string) {
	for len(h.begun) > 0 {
		all = append(all, <-h.begun)
	}
	return all
}

func holding() (*Reviews, *held) {
	client := &held{begun: make(chan string, 100), answer: make(chan struct{})}
	return NewReviews(client, "argocd", slog.New(slog.DiscardHandler)), client
}

// asks asks whether somebody may read something, and tells it when that is known.
func (r *Reviews) asks(ctx context.Context, who, what string) <-chan error {
	out := make(chan error, 1)
	go func() {
		ok, err := r.may(ctx, &auth.User{Name: who, Via: auth.Kubernetes}, authorizationv1.ResourceAttributes{Resource: "applications", Verb: "get", Name: what})
		if err == nil && !ok {
			err = errors.New("they may not")
		}
		out <- err
	}()
	return out
}

// Who asks about as many things as they make up has a part of what is asked at a
// time, and others their turn beside them. Who gets none is told to come again, and
// not that they may not; who looks through many things waits.
func TestQuestionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, client := holding()
		var all []<-chan error
		for i := range 3 * questionsEach {
			all = append(all, r.asks(reach.Patiently(t.Context()), "ann", strconv.Itoa(i)))
		}
		synctest.Wait()
		if got := client.asked(); len(got) != questionsEach {
			t.Errorf("%d questions of one person are asked at a time: %v", len(got), got)
		}
		for _, who := range []string{"ben", "cem", "dan"} {
			for i := range questionsEach {
				all = append(all, r.asks(reach.Patiently(t.Context()), who, strconv.Itoa(i)))
			}
		}
		synctest.Wait()
		if got := client.asked(); len(got) != questionsAtOnce-questionsEach {
			t.Errorf("%d questions of others are asked beside them: %v", len(got), got)
		}
		begun := time.Now()
		for _, who := range []string{"ann", "eve"} {
			if err := <-r.asks(t.Context(), who, "one more"); !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), "try again") {
				t.Errorf("%s is told %v", who, err)
			}
		}
		if waited := time.Since(begun); waited != 2*turnTime || len(client.begun) > 0 {
			t.Errorf("they waited %s, and %d were asked", waited, len(client.begun))
		}
		all = append(all, r.asks(t.Context(), "eve", "again"))
		synctest.Wait()
		client.answer <- struct{}{}
		synctest.Wait()
		if got := client.asked(); len(got) != 1 || got[0] != "eve again" {
			t.Errorf("the next that is asked is %v", got)
		}
		close(client.answer)
		for i, one := range all {
			if err := <-one; err != nil {
				t.Errorf("question %d: %v", i, err)
			}
		}
		if n := len(r.asking.open); n > 0 {
			t.Errorf("%d are asked still", n)
		}
	})
}

// A question for which nobody waits any more takes no turn, and is asked anew by
// whoever has it later.
func TestQuestionsOfNobodyAreNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, client := holding()
		var all []<-chan error
		for i := range questionsEach {
			all = append(all, r.asks(t.Context(), "ann", strconv.Itoa(i)))
		}
		synctest.Wait()
		client.asked()
		leaving, leave := context.WithCancel(t.Context())
		left := []<-chan error{r.asks(leaving, "ann", "left"), r.asks(leaving, "ann", "left"), r.asks(leaving, "ann", "left for good")}
		synctest.Wait()
		leave()
		for _, one := range left {
			if err := <-one; !errors.Is(err, context.Canceled) {
				t.Errorf("who went away is told %v", err)
			}
		}
		all = append(all, r.asks(t.Context(), "ann", "left"))
		synctest.Wait()
		close(client.answer)
		for i, one := range all {
			if err := <-one; err != nil {
				t.Errorf("question %d: %v", i, err)
			}
		}
		if got := client.asked(); len(got) != 1 || got[0] != "ann left" {
			t.Errorf("asked %v", got)
		}
	})
}
