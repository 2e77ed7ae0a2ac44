package gitops

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ProblemKind sorts a Problem by what can be done about it. The report stage turns
// it into one of its four classes.
type ProblemKind int

// The kinds of problems.
const (
	// Invalid input: only a change of what the user wrote helps.
	Invalid ProblemKind = iota
	// NotFound: a revision, chart, path, file, cluster or project is missing.
	NotFound
	// Unreachable: a repository or cluster does not answer; trying again may help.
	Unreachable
	// Refused: credentials are missing, wrong or not enough.
	Refused
	// Forbidden by a project or policy.
	Forbidden
	// NotReady: a dependency is not there yet and its arrival will be noticed.
	NotReady
	// NotMirrored: it would have to be fetched, and fetching is switched off.
	NotMirrored
)

// ErrNotServed is the cause of a Problem with a kind that the cluster does not serve.
var ErrNotServed = errors.New("kind is not served")

// Problem is an error that a person can act on. Its text says what, where
// and what to do.
type Problem struct {
	Kind ProblemKind
	// What went wrong, as an error text: "cannot render chart: …". No secrets.
	What string
	// Where it is written, as far as is known.
	Where Origin
	// Fix is an imperative sentence without a full stop; may be empty.
	Fix string
	// Near ends Fix with what may have been meant; may be nil. It is asked only
	// where the text is made: most who look for something drop the error, and names
	// that are near cost a comparison with all that there are.
	Near func() string
	// Err is the cause, for errors.Is and errors.As; its text is not shown
	// unless What repeats it.
	Err error
}

// Error joins what, where and what to do.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.What)
	if at := p.at(); at != "" {
		b.WriteString(" (" + at + ")")
	}
	if fix := p.Advice(); fix != "" {
		b.WriteString("; " + fix)
	}
	return b.String()
}

// Advice is what to do about it, with what may have been meant.
func (p *Problem) Advice() string {
	if p.Near == nil {
		return p.Fix
	}
	return p.Fix + p.Near()
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

func (p *Problem) at() string {
	var parts []string
	if p.Where.RepoURL != "" {
		parts = append(parts, PublicAddress(p.Where.RepoURL))
	}
	if p.Where.Revision != "" {
		parts = append(parts, "at "+ShortRevision(p.Where.Revision))
	}
	if file := p.Where.String(); file != "" {
		parts = append(parts, file)
	}
	return strings.Join(parts, " ")
}

// Problemf makes a Problem of a kind without a place or a fix. A %w in the
// format becomes the cause.
func Problemf(kind ProblemKind, format string, args ...any) *Problem {
	err := fmt.Errorf(format, args...)
	return &Problem{Kind: kind, What: err.Error(), Err: err}
}

// At adds the place, unless a more exact one is known already.
func (p *Problem) At(o Origin) *Problem {
	if p.Where == (Origin{}) {
		p.Where = o
	}
	return p
}

// Do adds what to do about it.
func (p *Problem) Do(fix string) *Problem {
	p.Fix, p.Near = fix, nil
	return p
}

// IsProblem reports whether an error is a Problem of one of the kinds.
func IsProblem(err error, kinds ...ProblemKind) bool {
	var p *Problem
	return errors.As(err, &p) && slices.Contains(kinds, p.Kind)
}
