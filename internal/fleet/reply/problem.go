package reply

import (
	"errors"
	"fmt"
)

// TooLarge is an answer with more than what is read of it.
type TooLarge struct {
	Cluster, Request string
	Most             int64 // bytes, unpacked
	// Event tells that one event of a watch is meant, All that many answers
	// together are.
	Event, All bool
}

// Error names the cluster, the request and the bound, and says what to do.
func (e *TooLarge) Error() string {
	with := "with"
	switch {
	case e.Event:
		with = "with an event of"
	case e.All:
		with = "in all pages with"
	}
	return fmt.Sprintf("cluster %s answers %s %s more than %d MiB, which is not read: look at what answers at its address", e.Cluster, e.Request, with, e.Most>>20)
}

// Refusal is the error of an answer that a cluster may not give, without what
// clients say around it; nil when there is none.
func Refusal(err error) error {
	var large *TooLarge
	if errors.As(err, &large) {
		return large
	}
	return nil
}
