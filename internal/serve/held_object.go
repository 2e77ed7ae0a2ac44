package serve

import "github.com/causeway-gitops/causeway/internal/gitops"

// Held is why an object that the sources of an application have is neither shown
// nor acted on for it: another application has it.
type Held struct {
	// Holder is the other application, as tracking ids name it.
	Holder  string
	problem *gitops.Problem
}

// HeldBy is the error about an object of another application.
func HeldBy(k gitops.Key, holder string) *Held {
	return &Held{holder, gitops.Problemf(gitops.NotReady, "not shown: %s is part of application %s, whose tracking id it has, or something above it", k, holder).
		Do("sync this application to take it over, or take it out of one of the two")}
}

// Error implements error.
func (h *Held) Error() string { return h.problem.Error() }

// Unwrap returns a gitops.Problem of kind NotReady.
func (h *Held) Unwrap() error { return h.problem }
