package rights

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// reviewTime bounds a question to the API server: somebody waits for each. With the
// wait for its turn one takes no longer than turnTime for who asks about one thing, and
// than patientTime for who looks through many.
const (
	reviewTime  = 5 * time.Second
	turnTime    = 10 * time.Second
	patientTime = 30 * time.Second
)

// reviewFor is how long an answer about rights is believed, usually.
const reviewFor = 10 * time.Second

// reviewsKept is what all answers may take, in bytes.
const reviewsKept = 1 << 20

// Reviews asks the API server what somebody may do.
type Reviews struct {
	client    authorizationclient.SubjectAccessReviewInterface
	namespace string // of clusters' and repositories' Secrets, and of the audit
	now       func() time.Time
	log       *slog.Logger
	believed  time.Duration

	once   sync.Once
	known  *cache.LRU[string, verdict]
	asking *questions
}

// NewReviews makes one. Namespace is the control namespace.
func NewReviews(c authorizationclient.SubjectAccessReviewInterface, namespace string, log *slog.Logger) *Reviews {
	return &Reviews{client: c, namespace: namespace, now: time.Now, log: log}
}

// BelieveFor sets how long an answer counts; 10 seconds when 0.
func (r *Reviews) BelieveFor(d time.Duration) *Reviews {
	r.believed = d
	return r
}

type verdict struct {
	allowed bool
	until   time.Time
}

// may asks. What cannot be asked is not allowed; that nobody waited for the answer,
// or that it was not one's turn in time, which is busy, is an error.
func (r *Reviews) may(ctx context.Context, u *auth.User, a authorizationv1.ResourceAttributes) (bool, error) {
	r.once.Do(func() { r.known, r.asking = cache.New[string, verdict](reviewsKept), newQuestions() })
	if a.Resource == "secrets" || a.Resource == "audit" {
		a.Namespace = r.namespace
	}
	key := keyOf(u, &a)
	if allowed, known := r.remembered(key); known {
		return allowed, nil
	}
	if !reach.MayAsk(ctx) {
		return false, nil
	}
	waiting, end := r.waiting(ctx)
	defer end()
	one := r.asking.join(ctx, key, u.Person(), func(ctx context.Context) bool { return r.ask(ctx, key, u, a) })
	defer r.asking.leave(key, one)
	select {
	case <-one.done:
		return one.answer, nil
	case <-waiting.Done():
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return false, busy{}
}

// waiting is how long who asks waits for the answer.
func (r *Reviews) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	if reach.Patient(ctx) {
		return context.WithTimeout(ctx, patientTime)
	}
	return context.WithTimeout(ctx, turnTime)
}

// remembered is what was answered a moment ago.
func (r *Reviews) remembered(key string) (allowed, known bool) {
	v, ok := r.known.Get(key)
	return v.allowed, ok && r.now().Before(v.until)
}

// ask asks the API server, unless somebody else has just done so, and remembers
// the answer.
func (r *Reviews) ask(ctx context.Context, key string, u *auth.User, a authorizationv1.ResourceAttributes) bool {
	if allowed, known := r.remembered(key); known {
		return allowed
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	answer, err := r.client.Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: u.Name, Groups: u.Groups, Extra: extraValues(u), ResourceAttributes: &a},
	}, metav1.CreateOptions{})
	if err != nil {
		r.log.WarnContext(ctx, "cannot ask Kubernetes what somebody may do", "user", u.Name, "error", err)
		return false
	}
	allowed := answer.Status.Allowed && !answer.Status.Denied
	r.known.Put(key, verdict{allowed, r.now().Add(cmp.Or(r.believed, reviewFor))}, int64(len(key)))
	return allowed
}

// extraValues limit what a token may, as the authorizers of the API server know.
func extraValues(u *auth.User) map[string]authorizationv1.ExtraValue {
	out := map[string]authorizationv1.ExtraValue{}
	for key, values := range u.Extra {
		out[key] = values
	}
	return out
}

// keyOf is a key of what is remembered: who asks, with all that limits them, and
// for what.
func keyOf(u *auth.User, a *authorizationv1.ResourceAttributes) string {
	return digest(u.Name, u.Groups, u.Extra, []string{a.Verb, a.Group, a.Version, a.Resource, a.Subresource, a.Namespace, a.Name})
}

// digest is short, and tells nobody what it is of. Parts are texts, or lists and
// maps of them. Each is quoted: an issuer may put any character into a name or a
// group, so that none would keep them apart.
func digest(parts ...any) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q", parts) // a hash never fails
	return hex.EncodeToString(sum.Sum(nil))
}
