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
	// together are. Memory tells that Most is what is taken when it is read.
	Event, All, Memory bool
}

// Error names the cluster, the request and the bound, and says what to do.
func (e *TooLarge) Error() string {
	with, fix := "with", "look at what answers at its address"
	switch {
	case e.Event:
		with = "with an event that has"
	case e.All:
		with, fix = "in one look with", "look at fewer kinds or objects at a time, or at what answers at its address"
	}
	unit := "MiB"
	if e.Memory {
		unit = "MiB of memory"
	}
	return fmt.Sprintf("cluster %s answers %s %s more than %d %s, which is not read: %s", e.Cluster, e.Request, with, e.Most>>20, unit, fix)
}

// Lasting marks an error that the same request meets again.
func (*TooLarge) Lasting() {}

// Redirect is an answer that leads elsewhere.
type Redirect struct {
	Cluster, Request string
	// To is the server, or says that there is none.
	To string
}

// Error names the cluster, the request and where it leads, and says what to do.
func (e *Redirect) Error() string {
	return fmt.Sprintf("cluster %s redirects %s to %s, and no redirect of a cluster is followed: write the address at which its API server itself answers", e.Cluster, e.Request, e.To)
}

// Lasting marks an error that the same request meets again.
func (*Redirect) Lasting() {}

// Form is an answer in another form than JSON.
type Form struct{ Cluster, Request, Form string }

// Error names the cluster, the request and the form, and says what to do.
func (e *Form) Error() string {
	return fmt.Sprintf("cluster %s answers %s with %q, which it was not asked for: look at what answers at its address", e.Cluster, e.Request, e.Form)
}

// Lasting marks an error that the same request meets again.
func (*Form) Lasting() {}

// Refusal is the error of an answer that a cluster may not give, without what
// clients say around it; nil when there is none.
func Refusal(err error) error {
	var large *TooLarge
	var crowded *Crowded
	var redirect *Redirect
	var form *Form
	switch {
	case errors.As(err, &large):
		return large
	case errors.As(err, &crowded):
		return crowded
	case errors.As(err, &redirect):
		return redirect
	case errors.As(err, &form):
		return form
	}
	return nil
}
