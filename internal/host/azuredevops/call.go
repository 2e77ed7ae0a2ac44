package azuredevops

import (
	"errors"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Numbers that open the service's messages, in every language. They stand for
// GitItemNotFoundException, the same where there is no branch at all,
// GitRepositoryNotFoundException and ProjectDoesNotExistWithNameException.
const (
	noItem       = "TF401174"
	noBranches   = "VS403403"
	noRepository = "TF401019"
	noProject    = "TF200016"
)

var errMalformed = errors.New("the answer lacks what the API promises")

// call asks through the library, and turns its errors and its panics, at
// answers that lack a field, into Problems.
func call[T any](subject string, ask func() (*T, error)) (got T, err error) {
	defer func() {
		if recover() != nil {
			err = wire.Explain(subject, errMalformed)
		}
	}()
	answer, err := ask()
	if err != nil {
		return got, explain(subject, err)
	}
	return *answer, nil
}

// explain is wire's, but for the status: a missing project has not always 404.
func explain(subject string, err error) error {
	err = wire.Explain(subject, err)
	var p *gitops.Problem
	if errors.As(err, &p) && says(err, noProject) {
		p.Kind, p.Fix = gitops.NotFound, "check the name of the project, and that the token may see it"
	}
	return err
}

// list is call for a collection. One that is absent is not an empty one.
func list[T any](subject string, ask func() (*[]T, error)) ([]T, error) {
	all, err := call(subject, ask)
	if err == nil && all == nil {
		err = wire.Explain(subject, errMalformed)
	}
	return all, err
}

// says reports whether the service names one of the numbers as the reason.
func says(err error, numbers ...string) bool {
	var s *wire.Status
	if !errors.As(err, &s) {
		return false
	}
	for _, n := range numbers {
		if strings.HasPrefix(s.Message, n) {
			return true
		}
	}
	return false
}

func (c connection) malformed() error { return wire.Explain(c.subject, errMalformed) }

// branchName is a reference without what Azure DevOps puts before it.
func branchName(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
