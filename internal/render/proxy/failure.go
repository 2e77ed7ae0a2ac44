package proxy

import (
	"context"
	"errors"
	"io/fs"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Failure is an error on its way. What the other end can ask of its causes goes
// along; the causes that the Host had are found there again.
type Failure struct {
	Text    string   `json:",omitempty"`
	Problem *problem `json:",omitempty"`
	// Missing and the others tell which of the errors below is in it.
	Missing bool `json:",omitempty"`
	Passing bool `json:",omitempty"`
	Ended   bool `json:",omitempty"`
	Late    bool `json:",omitempty"`
	// Path is the error of a file system that it is.
	Path *pathError `json:",omitempty"`
	// Ref is the reference that could not be fetched.
	Ref *gitops.SourceRef `json:",omitempty"`
	// Told is the number of the error that the Host had, from 1; 0 when none is
	// in it.
	Told int `json:",omitempty"`
}

// pathError is an fs.PathError.
type pathError struct{ Op, Path, Text string }

// problem is the Problem that a Failure is, or has among its causes.
type problem struct {
	Kind  gitops.ProblemKind
	What  string        `json:",omitempty"`
	Where gitops.Origin `json:",omitzero"`
	Fix   string        `json:",omitempty"`
	// Inner: it is not the error itself.
	Inner bool `json:",omitempty"`
}

// failure notes an error, so that it is found when it comes back.
func (h *Host) failure(err error) *Failure {
	err = gitops.Brief(err) // it is kept with the render
	h.gaveError(err)
	out := FailureOf(err)
	if !plainly(err) && len(h.failures) < maxFailures && h.failuresRoom.take(gitops.Held(err)) {
		h.failures = append(h.failures, err)
		out.Told = len(h.failures)
	}
	return out
}

// plainly reports whether a file is not there: renders ask for many that are not.
func plainly(err error) bool {
	var p *gitops.Problem
	return errors.Is(err, fs.ErrNotExist) && !errors.As(err, &p)
}

// FailureOf is an error on its way, in brief; nil for none.
func FailureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	err = gitops.Brief(err)
	out := &Failure{
		Text: err.Error(), Missing: errors.Is(err, fs.ErrNotExist), Passing: errors.Is(err, source.ErrPassing),
		Ended: errors.Is(err, context.Canceled), Late: errors.Is(err, context.DeadlineExceeded),
	}
	var path *fs.PathError
	if errors.As(err, &path) && error(path) == err { //nolint:errorlint // whether it is the error itself
		out.Path = &pathError{path.Op, path.Path, path.Err.Error()} // a part of the text, which is brief
	}
	var fetch *gitops.FetchError
	if errors.As(err, &fetch) {
		out.Ref = &fetch.Ref
	}
	var told *toldError
	if errors.As(err, &told) {
		out.Told = told.number
	}
	var p *gitops.Problem
	if errors.As(err, &p) {
		out.Problem = &problem{Kind: p.Kind, What: p.What, Where: p.Where, Fix: p.Advice(), Inner: error(p) != err} //nolint:errorlint // as above
	}
	return out
}

// Err is the error that a Failure of a Guest stands for, in brief, with the causes that
// this Host had; nil for none. References and places are those that the Host gave.
func (h *Host) Err(f *Failure) error {
	if f == nil {
		return nil
	}
	var told error
	if f.Told > 0 && f.Told <= len(h.failures) {
		told = h.failures[f.Told-1]
	}
	return gitops.Brief(h.vouched(*f).err(told))
}

// toldError is what a Host said, on the Guest's side.
type toldError struct{ number int }

func (*toldError) Error() string { return "the engine said so" }

// told is the error that a Failure of a Host stands for; nil for none.
func (f *Failure) told() error {
	if f == nil {
		return nil
	}
	var cause error
	if f.Told > 0 {
		cause = &toldError{f.Told}
	}
	return f.err(cause)
}

func (f *Failure) err(cause error) error {
	causes := make([]error, 0, 4) //nolint:mnd // the most
	for _, known := range []struct {
		is  bool
		err error
	}{{f.Missing, fs.ErrNotExist}, {f.Passing, source.ErrPassing}, {f.Ended, context.Canceled}, {f.Late, context.DeadlineExceeded}} {
		if known.is && !errors.Is(cause, known.err) {
			causes = append(causes, known.err)
		}
	}
	if cause != nil {
		causes = append(causes, cause)
	}
	err := f.plain(causes)
	if fetch := (*gitops.FetchError)(nil); f.Ref != nil && !errors.As(cause, &fetch) {
		err = &gitops.FetchError{Ref: *f.Ref, Err: err}
	}
	if f.Problem == nil {
		return err
	}
	p := &gitops.Problem{Kind: f.Problem.Kind, What: f.Problem.What, Where: f.Problem.Where, Fix: f.Problem.Fix, Err: err}
	if f.Problem.Inner {
		return &textError{f.Text, []error{p}}
	}
	return p
}

// plain is the error without what the product itself says of it.
func (f *Failure) plain(causes []error) error {
	if f.Path != nil {
		return &fs.PathError{Op: f.Path.Op, Path: f.Path.Path, Err: &textError{f.Path.Text, causes}}
	}
	return &textError{f.Text, causes}
}

// textError has the text of an error, and its causes.
type textError struct {
	text   string
	causes []error
}

func (e *textError) Error() string { return e.text }

// Unwrap returns the causes.
func (e *textError) Unwrap() []error { return e.causes }
