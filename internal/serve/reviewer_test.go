package serve

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// apiServer answers for tokens as an API server does.
type apiServer struct {
	authenticationclient.TokenReviewInterface

	asked int
	err   error
}

func (s *apiServer) Create(_ context.Context, review *authenticationv1.TokenReview, _ metav1.CreateOptions) (*authenticationv1.TokenReview, error) {
	s.asked++
	if review.Spec.Token == "good" {
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{
			Username: "ann", Groups: []string{"dev"}, Extra: map[string]authenticationv1.ExtraValue{"scopes.authorization.openshift.io": {"user:info"}},
		}}
	}
	return review, s.err
}

func TestReview(t *testing.T) {
	server := &apiServer{}
	now := time.Unix(1, 0)
	r := newReviewer(server, func() time.Time { return now })
	for range 2 {
		u, err := r.Review(t.Context(), "good")
		if err != nil || u.Name != "ann" || u.Via != auth.Kubernetes {
			t.Fatalf("%+v, %v", u, err)
		}
		if d := cmp.Diff(map[string][]string{"scopes.authorization.openshift.io": {"user:info"}}, u.Extra); d != "" {
			t.Errorf("what limits the token (-want +got):\n%s", d)
		}
		if _, err := r.Review(t.Context(), "made up"); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("a made-up token: %v", err)
		}
	}
	if server.asked != 2 {
		t.Errorf("two tokens were asked for %d times", server.asked)
	}
	now = now.Add(unknownFor)
	_, _ = r.Review(t.Context(), "good")
	if _, err := r.Review(t.Context(), "made up"); !errors.Is(err, session.ErrUnknown) || server.asked != 3 {
		t.Errorf("later: %v, asked %d times", err, server.asked)
	}
}

// An engine that may not ask takes no tokens of Kubernetes: they are unknown,
// and nothing is broken.
func TestReviewWithoutTheRight(t *testing.T) {
	r := newReviewer(&apiServer{err: apierrors.NewForbidden(schema.GroupResource{Resource: "tokenreviews"}, "", nil)}, time.Now)
	if _, err := r.Review(t.Context(), "stale"); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	r = newReviewer(&apiServer{err: apierrors.NewTimeoutError("slow", 1)}, time.Now)
	var p *gitops.Problem
	if _, err := r.Review(t.Context(), "good"); !errors.As(err, &p) || p.Kind != gitops.Unreachable {
		t.Errorf("an API server that does not answer: %v", err)
	}
}

// What is wrong is told apart: who does not answer, and who says no.
func TestWhyTokensAreNotChecked(t *testing.T) {
	for err, want := range map[error]string{
		apierrors.NewTimeoutError("slow", 1):   "does not answer",
		errors.New("connection refused"):       "does not answer",
		apierrors.NewUnauthorized("a bad key"): "refuses to: Unauthorized",
	} {
		if _, got := newReviewer(&apiServer{err: err}, time.Now).Review(t.Context(), "good"); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v is %v, want %q", err, got, want)
		}
	}
}

// Tokens that nobody knows wait for their turn, no longer than their request lasts.
func TestReviewsAtOnce(t *testing.T) {
	server := &apiServer{}
	r := newReviewer(server, time.Now)
	for range reviewsAtOnce {
		r.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Review(ctx, "one more"); !errors.Is(err, session.ErrBusy) || server.asked != 0 {
		t.Errorf("got %v, asked %d times", err, server.asked)
	}
}
