package render

import (
	"errors"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// hides takes decrypted values out of what an entry tells people: errors and
// warnings go to status, comments and logs.
func (r *run) hides(e *entry) {
	for _, t := range r.trees {
		e.hidden = append(e.hidden, t.Hidden()...)
	}
	e.hidden = append(e.hidden, r.remotes.hidden()...)
	if len(e.hidden) == 0 {
		return
	}
	slices.Sort(e.hidden)
	e.hidden = slices.Compact(e.hidden)
	known := redact.NewKnown(e.hidden)
	e.err = hideIn(e.err, known)
	for i := range e.warnings {
		e.warnings[i].Message = known.Text(e.warnings[i].Message)
	}
}

// brief bounds the same: files say in them what they like. It comes after what is
// hidden, of which a part would be left.
func (e *entry) brief() {
	e.err = gitops.Brief(e.err)
	e.warnings = firstOf(e.warnings)
	for i := range e.warnings {
		e.warnings[i].Message = gitops.Condition(e.warnings[i].Message)
	}
}

func (r *remotes) hidden() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, t := range r.trees {
		out = append(out, t.Hidden()...)
	}
	return out
}

// hideIn keeps the causes of an error, whose texts are not shown.
func hideIn(err error, known redact.Known) error {
	if err == nil || known.Text(err.Error()) == err.Error() {
		return err
	}
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return &gitops.Problem{Kind: gitops.Unreachable, What: known.Text(err.Error()), Err: err}
	}
	out := *p
	out.What, out.Fix, out.Near = known.Text(p.What), known.Text(p.Advice()), nil
	return &out
}
