package rights

import (
	"context"
	"log/slog"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

type faulty struct {
	authorizationclient.SubjectAccessReviewInterface
}

func (faulty) Create(context.Context, *authorizationv1.SubjectAccessReview, metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	panic("a fault")
}

// TestPanicOfAQuestionPermitsNothing: and it leaves its place to the next.
func TestPanicOfAQuestionPermitsNothing(t *testing.T) {
	r := NewReviews(faulty{}, "argocd", slog.New(slog.DiscardHandler))
	for range questionsEach + 1 {
		if err := <-r.asks(t.Context(), "ann", "web"); err == nil || err.Error() != "they may not" {
			t.Fatalf("who asks is told %v", err)
		}
	}
}
