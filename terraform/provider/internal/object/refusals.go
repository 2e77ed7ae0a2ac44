package object

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// refusedLong is how long a refusal may still pass: an API server that was
// restarted answers 403 until it has read its roles and bindings, and 401 while
// what signs users in is away; the apply itself may make bindings anew; and
// after a first 401 the program of credentials runs again.
const refusedLong = 30 * time.Second

// Refusals tell a wait that asks again and again when there is no more use in it.
type Refusals struct {
	now   func() time.Time
	since time.Time // of the first one in a row; zero after any other answer
	last  error
}

// NewRefusals has seen none yet.
func NewRefusals(now func() time.Time) *Refusals { return &Refusals{now: now} }

// Final is the error of a look at which the cluster has refused the provider for
// so long, with nothing else between, and no error for what may pass.
func (r *Refusals) Final(err error) error {
	if !errors.Is(err, ErrCredentials) && !apierrors.IsForbidden(err) {
		r.since, r.last = time.Time{}, nil
		return nil
	}
	now := r.now()
	if r.since.IsZero() {
		r.since = now
	}
	r.last = err
	if now.Sub(r.since) < refusedLong {
		return nil
	}
	return err
}

// Last is what the last look was refused with, for a wait whose time is over.
func (r *Refusals) Last() error { return r.last }
