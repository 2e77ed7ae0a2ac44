package object

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Refusals tell a wait that asks again and again when there is no more use in
// it. Whoever waits has read the object before: a right that it lacks now was
// taken away, and does not come back by itself.
type Refusals struct{ before bool }

// Final is the error of a look at which the cluster refused the provider for
// the second time in a row, and nothing for what may pass. After the first time
// the program of credentials runs again, and the file of a token is read again.
func (r *Refusals) Final(err error) error {
	again := r.before
	r.before = errors.Is(err, ErrCredentials) || apierrors.IsForbidden(err)
	if again && r.before {
		return err
	}
	return nil
}
