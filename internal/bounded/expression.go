package bounded

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync/atomic"
)

const (
	// MostSize is how large an Expression is: compiling one takes up to 400
	// bytes for each of it, for a moment, and it keeps about 100.
	MostSize = 100_000
	// MostMatching bounds the product of the bytes of texts and the sizes of
	// the expressions that they are held against: about 20 seconds of a machine.
	MostMatching = 2_000_000_000

	mostExpression = 64 << 10 // bytes
	mostClasses    = 200      // of those that are costly to read
	perCopy        = 32       // groups that are copied while one instruction is done
)

// Expression is a regular expression that somebody else wrote. Few characters
// repeat much: ".{0,1000}" is a thousand instructions.
type Expression struct {
	*regexp.Regexp

	// Size is the number of its instructions, and more where it has many groups:
	// a match takes up to so many steps for each byte of a text, and cannot be
	// stopped.
	Size int
}

// Compile reads a regular expression of Go. What Go cannot read is a
// *syntax.Error, what is too large a *Costly.
func Compile(text string) (*Expression, error) { return CompileUpTo(text, MostSize) }

// CompileUpTo is Compile with another bound.
func CompileUpTo(text string, most int) (*Expression, error) {
	size, err := Size(text)
	if err != nil {
		return nil, err
	}
	if size > most {
		return nil, &Costly{what: fmt.Sprintf("the regular expression %.40q has %d steps with its repeats written out, and %d are allowed", text, size, most)}
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &Expression{re, size}, nil
}

// Costly is an expression that takes too much, by itself or with what it is
// held against.
type Costly struct{ what, fix string }

// Error says what to do.
func (e *Costly) Error() string {
	return e.what + ": " + cmp.Or(e.fix, "shorten it, or let it repeat less")
}

// Size is the size that an Expression will have, without making it; it is
// bounded by what Go reads, 3 million.
func Size(text string) (int, error) {
	if len(text) > mostExpression {
		return 0, &Costly{what: fmt.Sprintf("the regular expression %.40q… has more than %d bytes", text, mostExpression)}
	}
	if Classes(text) > mostClasses {
		return 0, &Costly{what: fmt.Sprintf("the regular expression %.40q… has more than %d classes of all languages' characters", text, mostClasses)}
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := instructions(tree) + 2 //nolint:mnd // the first and the last
	return n + n/perCopy*tree.MaxCap(), nil
}

// Classes is no less than the number of classes of characters that take
// milliseconds to read, or kilobytes.
func Classes(text string) int {
	n := strings.Count(text, `\p`) + strings.Count(text, `\P`)
	wide := strings.Contains(text, `\x`) || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
	if wide && strings.Contains(text, "(?") && strings.Contains(text, "i") { // of both cases
		n += strings.Count(text, "[")
	}
	return n
}

// instructions is no less than the number that a tree is compiled to.
func instructions(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) + 1
	case syntax.OpCapture, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		return n + 2 //nolint:mnd // before and after
	case syntax.OpConcat, syntax.OpAlternate:
		return n + len(re.Sub)
	case syntax.OpRepeat:
		if re.Max < 0 {
			return (re.Min+1)*n + 2 //nolint:mnd // as above
		}
		return max(re.Max, 1)*(n+1) + 1
	default:
		return 1
	}
}

// Matching holds several texts against expressions, up to a bound of all
// together. It is safe for concurrent use.
type Matching struct {
	most int64
	used atomic.Int64
}

// NewMatching is for so much of what MostMatching bounds.
func NewMatching(most int64) *Matching { return &Matching{most: most} }

// Match reports whether an expression is found in a text.
func (m *Matching) Match(e *Expression, text string) (bool, error) {
	if err := m.Take(e.Size, len(text)); err != nil {
		return false, err
	}
	return e.MatchString(text), nil
}

// Take takes up an expression of a size and the bytes that it is held against.
func (m *Matching) Take(size, bytes int) error {
	if m.used.Add(int64(size)*int64(bytes+1)) > m.most {
		return &Costly{
			what: "the regular expressions and the texts that they are held against take too long together",
			fix:  "shorten the expressions or the texts, or let the expressions repeat less",
		}
	}
	return nil
}

// IsCostly tells an expression that is too large from one that is broken.
func IsCostly(err error) bool {
	var costly *Costly
	return errors.As(err, &costly)
}
