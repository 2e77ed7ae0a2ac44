package report

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Class says what makes a failed object worth another look.
type Class string

// The four classes of errors; None is the class of success.
const (
	None Class = ""
	// Terminal errors wait for a change of input.
	Terminal Class = "Terminal"
	// Waiting errors wait for a dependency whose arrival is watched.
	Waiting Class = "Waiting"
	// Transient errors are tried again with back-off.
	Transient Class = "Transient"
	// Denied errors wait for a change of policy or permission.
	Denied Class = "Denied"
)

var classOfKind = map[gitops.ProblemKind]Class{
	gitops.Invalid:     Terminal,
	gitops.NotFound:    Terminal,
	gitops.Unreachable: Transient,
	gitops.Refused:     Denied,
	gitops.Forbidden:   Denied,
	gitops.NotReady:    Waiting,
	// A mirror comes with a restart or another flag.
	gitops.NotMirrored: Terminal,
}

// Classify returns the class of an error. What it does not know is
// Transient: another try does no harm.
func Classify(err error) Class {
	if err == nil {
		return None
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Transient
	}
	var problem *gitops.Problem
	if errors.As(err, &problem) {
		return classOfKind[problem.Kind]
	}
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return Denied
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return Terminal
	}
	return Transient
}
