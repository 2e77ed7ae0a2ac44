package gitops

import (
	"context"
	"errors"
	"io/fs"
)

const (
	// mostError bounds the text of an error in bytes, as what people are told of it.
	mostError = mostCondition
	// mostCauses bounds what is kept of errors that were joined.
	mostCauses = 64
)

// Brief is an error of which neither the text nor that of a cause is longer than a
// condition may be. Of a longer text the beginning stays, and of a Problem what kind it
// is, where, and what to do about it; errors.Is and errors.As find what they found in
// it. Errors repeat what others wrote, and are kept, logged and told in many places.
func Brief(err error) error {
	if err == nil {
		return nil
	}
	_, short := brief(err)
	return short
}

// brief reports whether it had to cut: errors are not always comparable.
func brief(err error) (cut bool, short error) {
	switch e := err.(type) { //nolint:errorlint // its causes have their turn
	case *Problem:
		return briefProblem(e)
	case *FetchError:
		cut, cause := brief(e.Err)
		if !cut {
			return false, err
		}
		return true, &FetchError{Ref: e.Ref, Err: cause}
	}
	causes, cut := briefCauses(err)
	text := err.Error()
	if len(text) <= mostError && !cut {
		return false, err
	}
	out := &briefError{text: Condition(text), causes: causes}
	var p *Problem
	if errors.As(out, &p) && len(text) > mostError { // what it says to do is at the end
		out.text = (&Problem{What: First(text, mostError/2), Where: briefOrigin(p.Where), Fix: First(p.Advice(), mostPart)}).Error()
	}
	for _, known := range []error{fs.ErrNotExist, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) && !errors.Is(out, known) { // by a method of its own
			out.causes = append(out.causes, known)
		}
	}
	return true, out
}

// mostPart bounds each part of a Problem but what went wrong, which may have half.
const mostPart = mostError / 8

func briefProblem(p *Problem) (cut bool, short error) {
	var cause error
	if p.Err != nil {
		cut, cause = brief(p.Err)
	}
	long := len(p.Error()) > mostError
	if !long && !cut {
		return false, p
	}
	out := *p
	out.Err = cause
	if long {
		out.What, out.Where = First(p.What, mostError/2), briefOrigin(p.Where)
		out.Fix, out.Near = First(p.Advice(), mostPart), nil
	}
	return true, &out
}

func briefOrigin(o Origin) Origin {
	for _, text := range []*string{&o.RepoURL, &o.Revision, &o.File} {
		*text = First(*text, mostPart)
	}
	return o
}

func briefCauses(err error) (short []error, cut bool) {
	for _, cause := range causesOf(err) {
		if cause == nil {
			continue
		}
		if len(short) == mostCauses {
			break
		}
		was, one := brief(cause)
		short, cut = append(short, one), cut || was
	}
	return short, cut
}

func causesOf(err error) []error {
	switch e := err.(type) { //nolint:errorlint // its own causes
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}

// Held is how much text an error and its causes have, in bytes.
func Held(err error) (n int) {
	if err == nil {
		return 0
	}
	n = len(err.Error())
	for _, cause := range causesOf(err) {
		n += Held(cause)
	}
	return n
}

// briefError is the beginning of an error, with its causes.
type briefError struct {
	text   string
	causes []error
}

func (e *briefError) Error() string { return e.text }

// Unwrap returns the causes.
func (e *briefError) Unwrap() []error { return e.causes }
