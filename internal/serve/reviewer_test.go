package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/rights"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// apiServer answers for tokens as an API server does.
type apiServer struct {
	authenticationclient.TokenReviewInterface

	asked int
	err   error
}

func (s *apiServer) Create(_ context.Context, review *authenticationv1.TokenReview, _ metav1.CreateOptions) (*authenticationv1.TokenReview, error) {
	s.asked++
	switch review.Spec.Token {
	case "of a pod":
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{
			Username: "system:serviceaccount:team:web", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated"},
		}}
	case "good":
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{
			Username: "ann", Groups: []string{"dev"}, Extra: map[string]authenticationv1.ExtraValue{"scopes.authorization.openshift.io": {"user:info"}},
		}}
	}
	return review, s.err
}

func TestReview(t *testing.T) {
	server := &apiServer{}
	now := time.Unix(1, 0)
	r := newReviewer(server, func() time.Time { return now }, nil)
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

// Any Pod of the hub has a token that Kubernetes knows: it comes in as what it is, and what policy.default gives to
// people is not for it.
func TestTokensOfPodsHaveNoDefaultRole(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	r := rights.New(rights.Options{
		Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: log, Reviews: rights.NewReviews(lettingNobody{}, "argocd", log),
	})
	r.Put(map[string]string{"policy.default": "role:readonly"})
	row := &view.Row{Namespace: "argocd", Name: "dns", Project: "ops"}
	for text, want := range map[string]bool{"good": true, "of a pod": false} {
		u, err := newReviewer(&apiServer{}, time.Now, nil).Review(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		visible, err := r.Visible(t.Context(), u)
		if err != nil || visible(row) != want {
			t.Errorf("%s sees an Application: %t, %v", u.Name, !want, err)
		}
		for _, resource := range []string{"applications", "logs", "clusters"} {
			if got := r.Permit(t.Context(), u, reach.Access{Resource: resource, Action: "get", Project: "ops", Namespace: "argocd", Name: "dns"}) == nil; got != want {
				t.Errorf("%s reads %s: %t", u.Name, resource, got)
			}
		}
	}
}

// lettingNobody is an API server whose roles let nobody do anything.
type lettingNobody struct {
	authorizationclient.SubjectAccessReviewInterface
}

func (lettingNobody) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	return r, nil
}

// An engine that may not ask takes no tokens of Kubernetes: they are unknown,
// and nothing is broken.
func TestReviewWithoutTheRight(t *testing.T) {
	r := newReviewer(&apiServer{err: apierrors.NewForbidden(schema.GroupResource{Resource: "tokenreviews"}, "", nil)}, time.Now, nil)
	if _, err := r.Review(t.Context(), "stale"); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	r = newReviewer(&apiServer{err: apierrors.NewTimeoutError("slow", 1)}, time.Now, nil)
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
		if _, got := newReviewer(&apiServer{err: err}, time.Now, nil).Review(t.Context(), "good"); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v is %v, want %q", err, got, want)
		}
	}
}

// Tokens that nobody knows wait for their turn, no longer than their request lasts.
func TestReviewsAtOnce(t *testing.T) {
	server := &apiServer{}
	r := newReviewer(server, time.Now, nil)
	for range reviewsNetwork {
		if _, ok := r.turns.Try(""); !ok {
			t.Fatal("there is no turn")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Review(ctx, "one more"); !errors.Is(err, session.ErrBusy) || server.asked != 0 {
		t.Errorf("got %v, asked %d times", err, server.asked)
	}
}

// slowServer takes a second for each token, as one does that asks a webhook.
type slowServer struct {
	authenticationclient.TokenReviewInterface

	asked atomic.Int64
}

func (s *slowServer) Create(_ context.Context, review *authenticationv1.TokenReview, _ metav1.CreateOptions) (*authenticationv1.TokenReview, error) {
	s.asked.Add(1)
	time.Sleep(time.Second)
	if review.Spec.Token == "good" {
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: "ann"}}
	}
	return review, nil
}

// Whoever makes up tokens keeps nobody out who comes from elsewhere with a good
// one, and has the API server asked about few of them.
func TestMadeUpTokensKeepNobodyOut(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		from   func(n int) string
	}{
		"Address": {"one address", func(int) string { return "192.0.2.1" }},
		"Site":    {"a /48", func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &slowServer{}
				r := newReviewer(server, time.Now, nil)
				ctx, end := context.WithTimeout(t.Context(), time.Minute)
				defer end()
				for n := range 20 * reviewsAtOnce { // a stranger with as many connections
					go func() {
						for i := 0; ctx.Err() == nil; i++ {
							_, _ = r.Review(origin.With(ctx, tc.from(n)), fmt.Sprintf("made-up-%d-%d", n, i))
							time.Sleep(time.Second / 2) // virtual
						}
					}()
				}
				synctest.Wait()
				if u, err := r.Review(origin.With(t.Context(), "198.51.100.7"), "good"); err != nil || u.Name != "ann" {
					t.Errorf("%s: who has a token of the cluster is refused: %v", tc.reason, err)
				}
				<-ctx.Done()
				time.Sleep(time.Minute)
				if most := int64(unknownBurst + 60 + reviewsSite); server.asked.Load() > most {
					t.Errorf("%s: the API server was asked %d times in a minute", tc.reason, server.asked.Load())
				}
			})
		})
	}
}
