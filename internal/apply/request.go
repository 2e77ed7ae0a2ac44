package apply

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/causeway-gitops/causeway/internal/slots"
)

// call is one request to an API server.
type call struct {
	verb  string
	path  string
	query map[string]string
	// patch is the content type of a PATCH.
	patch types.PatchType
	body  []byte
}

// answer is what came back of a call that succeeded.
type answer struct {
	code int
	body []byte
	// note tells a person that the object was treated.
	note string
	// again tells that the request was sent before, and what it did may not have
	// been answered.
	again bool
	// deleted tells that an object was deleted for it, also where it failed then.
	deleted bool
}

func (a answer) object() (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(a.body); err != nil {
		return nil, fmt.Errorf("cannot read the API server's answer: %w", err)
	}
	return o, nil
}

const (
	// requestTimeout bounds one request; webhooks may take 30 s.
	requestTimeout = 40 * time.Second
	// attempts bounds how often a request is sent, and with the back-off how
	// long a moment of unavailability is sat out: about two seconds.
	attempts = 5
	// maxDelay bounds what an API server may ask a client to wait.
	maxDelay = 30 * time.Second
)

// send makes a request, again when it failed for a reason that passes.
func (a *Applier) send(ctx context.Context, c Cluster, r call) (answer, error) {
	backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: attempts}
	limit, project := a.lane(c.Server()).limit, slots.ProjectOf(ctx)
	for try := 1; ; try++ {
		got, err := inTurn(ctx, limit, project, c, r)
		got.again = try > 1
		if err == nil || try == attempts || !transient(err) {
			return got, err
		}
		pause := delay(err, backoff.Step())
		err = briefAnswer(err) // as many wait as a step has goroutines
		if !sleep(ctx, pause) {
			return answer{}, err
		}
	}
}

// inTurn sends a request once it has a place, which it gives back whatever happens.
func inTurn(ctx context.Context, limit *limiter, project string, c Cluster, r call) (got answer, err error) {
	if err := limit.acquire(ctx, project); err != nil {
		return answer{}, err
	}
	defer func() { limit.release(project, refusalOf(err)) }()
	return sendOnce(ctx, c, r)
}

func sendOnce(ctx context.Context, c Cluster, r call) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request := c.REST().Verb(r.verb)
	if r.patch != "" {
		request = c.REST().Patch(r.patch)
	}
	request = request.AbsPath(r.path).MaxRetries(0).WarningHandlerWithContext(rest.NoWarnings{}).Throttle(flowcontrol.NewFakeAlwaysRateLimiter())
	for name, value := range r.query {
		request = request.Param(name, value)
	}
	if r.body != nil {
		request = request.Body(r.body)
		if r.patch == "" {
			request = request.SetHeader("Content-Type", "application/json")
		}
	}
	var got answer
	result := request.Do(ctx).StatusCode(&got.code)
	if err := result.Error(); err != nil {
		return got, err
	}
	var err error
	got.body, err = result.Raw()
	return got, err
}

// transient reports whether the same request may succeed in a moment.
func transient(err error) bool {
	switch {
	case apierrors.IsTooManyRequests(err), apierrors.IsServerTimeout(err), apierrors.IsTimeout(err), apierrors.IsServiceUnavailable(err):
		return true
	case apierrors.IsConflict(err):
		return !uidChanged(err) && !versionChanged(err) && !otherUID(err)
	case apierrors.IsInternalError(err):
		return !isTyped(err) && webhook(err) == ""
	}
	return disconnected(err)
}

// lasting is an error that the same request meets again, although it is no API
// server's: its answer was one that is not taken.
type lasting interface {
	error
	Lasting()
}

// disconnected reports whether the API server could not be reached, or went away.
func disconnected(err error) bool {
	var status apierrors.APIStatus
	if err == nil || errors.As(err, &status) || errors.Is(err, context.Canceled) || errors.As(err, new(lasting)) {
		return false
	}
	var network net.Error
	return utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) ||
		errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded)
}

func delay(err error, own time.Duration) time.Duration {
	seconds, ok := apierrors.SuggestsClientDelay(err)
	if !ok {
		return own
	}
	// The jitter of own keeps refused clients from coming back all at once.
	return min(time.Duration(seconds)*time.Second+own, maxDelay)
}

// sleep returns false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
