package reach

import "github.com/causeway-gitops/causeway/internal/gitops"

// Barred is that a cluster does not let somebody do there what they may do with
// the Application. Unlike a cluster that refuses the engine, it is about them.
type Barred struct{ why *gitops.Problem }

// Bar makes one of a problem of kind Forbidden.
func Bar(why *gitops.Problem) Barred { return Barred{why} }

// Error implements error.
func (b Barred) Error() string { return b.why.Error() }

// Unwrap returns a gitops.Problem of kind Forbidden.
func (b Barred) Unwrap() error { return b.why }
