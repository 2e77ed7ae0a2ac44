package applicationset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// bareError is an error in the words that the conditions of a set have: who reads these
// need not be let read the clusters that names of Applications, and what is wrong with
// them, may come from. The log has the whole.
type bareError struct {
	bare  string
	whole error
}

func (e *bareError) Error() string { return e.bare + "; what is left out is in the engine's log" }
func (e *bareError) Unwrap() error { return e.whole }

// unwritten is why one Application could not be written.
type unwritten struct {
	// verb is create, update, delete, own or take over.
	verb, name string
	// exists tells of an Application that is there: the status of its set names it.
	exists bool
	err    error
}

func (e *unwritten) Error() string {
	return fmt.Sprintf("cannot %s application %s: %v", e.verb, e.name, e.err)
}

func (e *unwritten) Unwrap() error { return e.err }

// bare names no Application that the set's status does not name, and nothing that is in it.
func (e *unwritten) bare() string {
	if e.exists {
		return "cannot " + e.verb + " application " + e.name + ": " + reasonOf(e.err)
	}
	return "cannot " + e.verb + " an application: " + reasonOf(e.err)
}

// bareOf is an error of one Application without what may come from clusters.
func bareOf(err error) string {
	if e := (*unwritten)(nil); errors.As(err, &e) {
		return e.bare()
	}
	if t := (*takenError)(nil); errors.As(err, &t) {
		return "cannot create an application: " + t.bare
	}
	return reasonOf(err)
}

// reasonOf is what of an API server's answer quotes nothing: its reason, and the fields
// that it is about.
func reasonOf(err error) string {
	var answer apierrors.APIStatus
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "it takes too long"
	case !errors.As(err, &answer):
		return "the API server does not take it"
	}
	status := answer.Status()
	text := string(status.Reason)
	if text == "" {
		text = http.StatusText(int(status.Code))
	}
	if status.Details == nil {
		return "the API server says " + text
	}
	var fields []string
	for _, cause := range status.Details.Causes {
		field, _, _ := strings.Cut(cause.Field, "[") // a key may come from a cluster
		if field != "" && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if len(fields) > 0 {
		text += " of " + strings.Join(fields, ", ")
	}
	return "the API server says " + text
}

// joinedBare is joined without the names of the Applications: it tells how many of them
// have which trouble.
func joinedBare(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	texts := make([]string, 0, len(errs))
	for _, err := range errs {
		texts = append(texts, bareOf(err))
	}
	return &bareError{bare: eachOnce(texts), whole: joined(errs)}
}

// eachOnce has each text once, with how often it is there.
func eachOnce(texts []string) string {
	times := map[string]int{}
	for _, text := range texts {
		times[text]++
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	for i, text := range texts {
		if n := times[text]; n > 1 {
			texts[i] = fmt.Sprintf("%d times: %s", n, text)
		}
	}
	return strings.Join(texts, "; ")
}

// joins is how the errors of Applications are told in the conditions of their set.
func joins(e *generate.Expansion) func([]error) error {
	if e.Reads.Clusters {
		return joinedBare
	}
	return joined
}

// whole logs what conditions leave out of errors.
func (r *Reconciler) whole(ctx context.Context, set *v1alpha1.ApplicationSet, errs ...error) {
	for _, err := range errs {
		if e := (*bareError)(nil); errors.As(err, &e) {
			r.Log.WarnContext(ctx, "applications cannot be as their set has them", "applicationset", set.Name, "error", gitops.Brief(e.whole))
		}
	}
}

// joined tells the same failures in the same words whichever came first: a
// status that differs is written, and wakes those who show it.
func joined(errs []error) error {
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
