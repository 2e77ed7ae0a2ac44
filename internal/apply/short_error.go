package apply

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what is kept of an error, in bytes and causes. A wave has thousands of
// objects, the errors of all are kept for as long as its sync waits, and an
// API server may write megabytes into each.
const (
	keptText   = 200
	keptWord   = 100
	keptCauses = 3
	// maxFix bounds what is told to do: it repeats names that an API server says.
	maxFix = 500
)

// brief is an error that says what err says to those who branch by it, and has no
// more than the beginning of its text.
func brief(err error) error {
	err = briefAnswer(err)
	text := err.Error()
	if len(text) <= maxText {
		return err
	}
	cut := &cutError{text: gitops.First(text, keptText)}
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, cause) {
			cut.cause = cause
		}
	}
	return cut
}

// briefAnswer is brief for what an API server answered; other errors stay as they are.
func briefAnswer(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	return &apierrors.StatusError{ErrStatus: briefStatus(status.Status())}
}

// cutError is the beginning of an error.
type cutError struct {
	text  string
	cause error
}

func (e *cutError) Error() string { return e.text }

// Unwrap returns what callers look for; nil for an error that none does.
func (e *cutError) Unwrap() error { return e.cause }

// briefStatus has all that an API server's answer is told by, and the first of its causes.
func briefStatus(s metav1.Status) metav1.Status {
	out := metav1.Status{Status: word(s.Status), Code: s.Code, Reason: word(s.Reason), Message: gitops.First(s.Message, keptText)}
	if s.Details == nil {
		return out
	}
	d := s.Details
	out.Details = &metav1.StatusDetails{
		Name: word(d.Name), Group: word(d.Group), Kind: word(d.Kind), UID: word(d.UID), RetryAfterSeconds: d.RetryAfterSeconds,
	}
	for _, c := range d.Causes[:min(len(d.Causes), keptCauses)] {
		out.Details.Causes = append(out.Details.Causes, metav1.StatusCause{Type: word(c.Type), Message: word(c.Message), Field: word(c.Field)})
	}
	return out
}

func word[T ~string](text T) T { return T(gitops.First(string(text), keptWord)) }

// briefProblem is err, which has a problem in it, within the bounds of what is told of an object.
func briefProblem(err error, p *gitops.Problem) error {
	if len(err.Error()) <= 2*maxText {
		return err
	}
	short := *p
	short.What, short.Fix, short.Near = clip(p.What), gitops.First(p.Advice(), maxFix), nil
	if p.Err != nil {
		short.Err = brief(p.Err)
	}
	return &short
}
