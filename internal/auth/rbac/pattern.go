package rbac

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/glob"
)

// maxPattern is how many bytes a pattern has at most.
const maxPattern = 1024

// maxSize bounds a regular expression with its repeats written out.
const maxSize = 10_000

// pattern says which resources, actions or objects a line is about. No text takes longer than its length allows:
// people who may do little write patterns (roles of a project), and ask for objects.
type pattern interface {
	Match(text string) bool
}

// mode is how patterns are read.
type mode struct {
	read func(string) (pattern, error)
	// object brings the pattern for an object to the form that is read.
	object func(string) string
	// unreadable is what stands for a pattern that cannot be read.
	unreadable func(error) pattern
}

var (
	globs       = mode{readGlob, quoteObject, func(error) pattern { return never{} }}
	expressions = mode{readExpression, strings.Clone, func(err error) pattern { return broken{err} }}
)

// expression is a regular expression; it need not cover the whole text.
type expression struct{ *bounded.Expression }

func (e expression) Match(text string) bool { return e.MatchString(text) }

// broken is an expression that could not be read.
type broken struct{ error }

// Match is not asked: a request that comes to it fails.
func (broken) Match(string) bool { return false }

// never is a glob that could not be read.
type never struct{}

func (never) Match(string) bool { return false }

var errTooLong = fmt.Errorf("a pattern is longer than %d bytes: shorten it, or make several lines of it", maxPattern)

// readExpression reads a pattern of match mode regex.
func readExpression(text string) (pattern, error) {
	compiled, err := bounded.CompileUpTo(text, maxSize)
	if bounded.IsCostly(err) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression, which policy.matchMode asks for: %w", text, err)
	}
	return expression{compiled}, nil
}

// readGlob reads a pattern of match mode glob.
func readGlob(text string) (pattern, error) { return glob.Compile(text) }

// quoteObject takes the brackets around an IP address for text, in an object
// that is an address or that names the project before it.
func quoteObject(text string) string {
	if quoted := gitops.QuoteHost(text); quoted != text {
		return quoted
	}
	project, rest, below := strings.Cut(text, "/")
	if !below {
		return text
	}
	return project + "/" + gitops.QuoteHost(rest)
}
