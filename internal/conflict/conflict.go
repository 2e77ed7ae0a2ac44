// Package conflict tries a write again that others got in the way of.
package conflict

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
)

// Retry does something until nobody else writes the same in between, a few
// times at most, and returns the error of the last try.
func Retry(do func() error) error { return While(apierrors.IsConflict, do) }

// While is the same for errors that others cause in other ways.
//
// retry.OnError takes any error that a context's end is in for the end of its
// own waiting, and returns nil where that was the first try.
func While(others func(error) bool, do func() error) (err error) {
	_ = retry.OnError(retry.DefaultBackoff, others, func() error {
		err = do()
		return err
	})
	return err
}
