package generate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// said is an error that keeps what the engine says apart from what it quotes: of a set
// that reads clusters everybody is told the first, and of the second what stands in
// the set itself.
type said struct {
	error // the whole

	format string
	args   []any
}

// errorf is fmt.Errorf for what may quote a parameter. Its texts are told where they
// stand in the set; numbers, and what is a word, are.
func errorf(format string, args ...any) error {
	return &said{fmt.Errorf(format, args...), format, args}
}

func (s *said) Unwrap() error { return errors.Unwrap(s.error) }

// problemf is errorf for a problem. What to do about it is told whole: it quotes nothing.
func problemf(kind gitops.ProblemKind, format string, args ...any) *gitops.Problem {
	err := errorf(format, args...)
	return &gitops.Problem{Kind: kind, What: err.Error(), Err: err}
}

type (
	// word is a text of the engine's own.
	word string
	// plain is an error that quotes nothing.
	plain string
	// excerpt quotes the start of a text.
	excerpt string
	// aside is left out where its text is not told.
	aside string
	// keyed are the values of some keys, of which the keys are told.
	keyed struct {
		set  paramSet
		keys []string
	}
)

func (p plain) Error() string { return string(p) }

func (e excerpt) String() string {
	const limit = 120
	text := string(e)
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

func (k keyed) String() string { return keysOf(k.set.Params, k.keys) }

// veiled is an error of which nothing is told but its kind.
type veiled struct{ error }

func (v *veiled) Unwrap() error { return v.error }

// whole is an error about what stands in the set itself, whatever it quotes.
type whole struct{ error }

func (w *whole) Unwrap() error { return w.error }

// ofText is what a library says of a text, or of what became of it. To who knows the
// text the first is told.
type ofText struct {
	error

	text string
	// mentions cuts off what may come from parameters.
	mentions func(message string) string
}

func (o *ofText) Unwrap() error { return o.error }

// untold stands for what is left out.
const untold = "…"

// bare is what of an error everybody is told who reads the set: all that the engine
// says, and nothing that a parameter may have brought into it.
func (l *literals) bare(err error) string {
	switch e := err.(type) { //nolint:errorlint // each layer says its own
	case *said:
		return l.format(e)
	case *placed:
		return e.path + ": " + l.bare(e.err)
	case *whole:
		return e.Error()
	case *about:
		return l.bare(e.error)
	case *ofText:
		return l.ofText(e)
	case *gitops.Problem:
		return l.problem(e)
	case plain:
		return string(e)
	case invalid:
		return e.bare()
	case *json.SyntaxError:
		return fmt.Sprintf("it is no JSON at byte %d", e.Offset)
	case *json.UnmarshalTypeError:
		kind, _, _ := strings.Cut(e.Value, " ") // a number has its digits beside it
		return fmt.Sprintf("%s is a %s, and has to be %s", e.Field, kind, e.Type)
	}
	return l.foreign(err)
}

func (l *literals) format(s *said) string {
	args := make([]any, len(s.args))
	for i, arg := range s.args {
		args[i] = l.arg(arg)
	}
	return fmt.Errorf(s.format, args...).Error()
}

func (l *literals) arg(arg any) any {
	switch a := arg.(type) {
	case error:
		return plain(l.bare(a))
	case string:
		return l.text(a)
	case excerpt:
		if l.have(string(a)) {
			return a
		}
	case aside:
		return word("")
	case keyed:
		return word(l.keys(a.keys))
	case paramSet:
		return word("the parameters of a cluster")
	case subject:
		return word("a cluster")
	case word, int, int64:
		return a
	}
	return word(untold)
}

// text is a text, where it may be told.
func (l *literals) text(text string) string {
	if l.have(text) {
		return text
	}
	return untold
}

func (l *literals) keys(keys []string) string {
	told := make([]string, 0, len(keys))
	for _, key := range keys {
		told = append(told, l.text(key))
	}
	return strings.Join(told, ", ")
}

func (l *literals) problem(p *gitops.Problem) string {
	if _, own := p.Err.(*said); !own { //nolint:errorlint // of others it is not known what they quote
		return l.foreign(p)
	}
	told := gitops.Problem{What: strings.TrimSpace(l.bare(p.Err)), Fix: p.Fix}
	if l.have(p.Where.RepoURL) {
		told.Where = gitops.Origin{RepoURL: p.Where.RepoURL, Revision: p.Where.Revision}
	}
	if l.have(p.Where.File) {
		told.Where.File = p.Where.File
	}
	return told.Error()
}

// ofText tells what is wrong with a text as far as that stands in the text itself.
func (l *literals) ofText(e *ofText) string {
	var own plain
	var s *said
	cause := ""
	switch {
	case errors.As(e.error, &own):
		cause = string(own)
	case errors.As(e.error, &s):
		cause = l.format(s)
	}
	if !l.have(e.text) {
		return cmp.Or(cause, l.foreign(e.error))
	}
	message := e.mentions(e.Error())
	switch {
	case cause == "" || strings.HasSuffix(message, cause):
		return message
	case message == untold:
		return cause
	}
	return message + ": " + cause
}

// kinds say what is wrong where nothing else may.
var kinds = map[gitops.ProblemKind]string{
	gitops.Invalid: "it is not valid", gitops.NotFound: "it is not there", gitops.Unreachable: "it does not answer",
	gitops.Refused: "the credentials are missing, or do not do", gitops.Forbidden: "a project or a policy forbids it",
	gitops.NotReady: "it is not ready yet", gitops.NotMirrored: "it is not there, and fetching is switched off",
}

var lineOfYAML = regexp.MustCompile(`yaml: (line \d+): `)

// foreign is what is told of an error that may quote anything.
func (l *literals) foreign(err error) string {
	var p *gitops.Problem
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it takes too long"
	case errors.As(err, &p):
		return kinds[p.Kind]
	}
	if line := lineOfYAML.FindStringSubmatch(err.Error()); line != nil {
		return "it is not YAML at " + line[1]
	}
	return untold
}

// parsing is what a parser says of a text: it has seen no parameters.
func parsing(message string) string { return message }

// What the library says of a template that is executed: the place in it and, after that,
// a cause. Of types alone is what begins with one of the first; values may follow the
// others.
var (
	ofTypes = []string{
		"map has no entry for key ", "nil data; no entry for key ", "can't evaluate field ", "nil pointer evaluating ",
		"wrong number of args for ", "wrong type for value; expected ",
	}
	ofValues = []string{"range can't iterate over ", "if/with can't use "}
)

// executing leaves out of what is said of a template that was executed what values are in it.
func executing(message string) string {
	const at = ">: "
	where, cause, placed := strings.Cut(message, at)
	if !placed {
		return untold
	}
	for _, begin := range ofTypes {
		if strings.HasPrefix(cause, begin) {
			return message
		}
	}
	for _, begin := range ofValues {
		if strings.HasPrefix(cause, begin) {
			return where + at + begin + untold
		}
	}
	if call, is := strings.CutPrefix(cause, "error calling "); is {
		name, _, _ := strings.Cut(call, ":")
		return where + at + "error calling " + name
	}
	return where + at + untold
}
