package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// Bounds of what is asked and remembered of Kubernetes' tokens.
const (
	reviewedFor = time.Minute
	// unknownFor is how long a token is nobody's: somebody may be given it.
	unknownFor   = 10 * time.Second
	reviewedSize = 4 << 20
	// userSize is what a user without groups takes.
	userSize = 512
	// tokenTime bounds one question with the wait for its turn.
	tokenTime = 10 * time.Second
	// reviewsAtOnce are of all networks, of which one has a half and one site
	// three quarters; reviewsKept are for networks that are known.
	reviewsAtOnce, reviewsNetwork, reviewsSite, reviewsKept = 16, 8, 12, 4
	// Tokens of one site that turn out to be nobody's: anybody makes them up.
	unknownEvery = time.Second
	unknownBurst = 60
)

// reviewer asks the API server of the hub whose a token is.
type reviewer struct {
	client authenticationclient.TokenReviewInterface
	// known and unknown are apart, so that made-up tokens push out none that are good.
	known, unknown *cache.LRU[string, reviewed]
	now            func() time.Time
	turns          *origin.Places
	madeUp         *session.Tries
}

// reviewed is an answer; the user is nil for nobody.
type reviewed struct {
	user  *auth.User
	until time.Time
}

func newReviewer(c authenticationclient.TokenReviewInterface, now func() time.Time, known *origin.Known) *reviewer {
	return &reviewer{
		client: c, known: cache.New[string, reviewed](reviewedSize), unknown: cache.New[string, reviewed](reviewedSize), now: now,
		turns:  origin.NewPlaces(origin.Share{All: reviewsAtOnce, Site: reviewsSite, Network: reviewsNetwork, Kept: reviewsKept}, known),
		madeUp: session.NewTries(rate.Every(unknownEvery), unknownBurst),
	}
}

// Review asks whose a token is. Answers are kept by the token's digest: a
// minute, or seconds where it is nobody's.
func (r *reviewer) Review(ctx context.Context, text string) (*auth.User, error) {
	key := tokenDigest(text)
	if u, ok := r.remembered(key); ok {
		return copied(u)
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTime)
	defer cancel()
	from := origin.From(ctx)
	give, err := r.turns.Take(ctx, from)
	if err != nil {
		return nil, session.ErrBusy
	}
	defer give()
	if u, ok := r.remembered(key); ok { // by another request with it, in the meantime
		return copied(u)
	}
	return r.review(ctx, from, key, text)
}

// review asks, as often as one may who brings what is no token, and remembers
// the answer.
func (r *reviewer) review(ctx context.Context, from, key, text string) (*auth.User, error) {
	site := origin.Site(from)
	if err := r.madeUp.Take(site); err != nil {
		return nil, err
	}
	u, err := r.ask(ctx, text)
	if err != nil || u != nil {
		r.madeUp.Give(site)
	}
	if err != nil {
		return nil, err
	}
	if u == nil {
		r.unknown.Put(key, reviewed{nil, r.now().Add(unknownFor)}, int64(len(key))+userSize)
		return copied(nil)
	}
	r.known.Put(key, reviewed{u, r.now().Add(reviewedFor)}, int64(len(key))+sizeOf(u))
	return copied(u)
}

func (r *reviewer) remembered(key string) (*auth.User, bool) {
	for _, of := range []*cache.LRU[string, reviewed]{r.known, r.unknown} {
		if kept, ok := of.Get(key); ok && r.now().Before(kept.until) {
			return kept.user, true
		}
	}
	return nil, false
}

// copied is a user whom the request may add to.
func copied(u *auth.User) (*auth.User, error) {
	if u == nil {
		return nil, session.ErrUnknown
	}
	out := *u
	return &out, nil
}

// ask asks the API server; nil for nobody. One that does not let the engine ask
// is one whose tokens are not taken.
func (r *reviewer) ask(ctx context.Context, text string) (*auth.User, error) {
	answer, err := r.client.Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: text}}, metav1.CreateOptions{})
	if apierrors.IsForbidden(err) {
		return nil, nil //nolint:nilnil // nobody is no error
	}
	if err != nil {
		return nil, gitops.Problemf(gitops.Unreachable, "the token cannot be checked: %s", unchecked(err)).Do("try again")
	}
	if !answer.Status.Authenticated {
		return nil, nil //nolint:nilnil // nobody is no error
	}
	s := answer.Status.User
	groups := make([]any, len(s.Groups))
	for i := range s.Groups {
		groups[i] = s.Groups[i]
	}
	u := &auth.User{Name: s.Username, Groups: s.Groups, Via: auth.Kubernetes, Claims: map[string]any{"sub": s.Username, "groups": groups}}
	if len(s.Extra) > 0 {
		u.Extra = make(map[string][]string, len(s.Extra))
	}
	for name, values := range s.Extra {
		u.Extra[name] = values
	}
	return u, nil
}

// unchecked is why a token was not checked, for people: the API server says no
// more than its reason.
func unchecked(err error) string {
	if reason := apierrors.ReasonForError(err); reason != metav1.StatusReasonUnknown && !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) {
		return "the API server refuses to: " + string(reason)
	}
	return "the API server does not answer"
}

// sizeOf is what a user takes, in bytes: whoever made the token says how many
// groups there are.
func sizeOf(u *auth.User) int64 {
	n := 2 * len(u.Name) // with the claim
	for _, g := range u.Groups {
		n += 3 * len(g) // a header, and again in the claims
	}
	for name, values := range u.Extra {
		n += len(name)
		for _, v := range values {
			n += len(v)
		}
	}
	return int64(n) + userSize
}

// tokenDigest is what a token is remembered by.
func tokenDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
