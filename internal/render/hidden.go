package render

import (
	"errors"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
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
	mask := gitops.Hider(e.hidden)
	e.err = hideIn(e.err, mask)
	for i := range e.warnings {
		e.warnings[i].Message = mask.Replace(e.warnings[i].Message)
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
func hideIn(err error, mask *strings.Replacer) error {
	if err == nil || mask.Replace(err.Error()) == err.Error() {
		return err
	}
	var p *gitops.Problem
	if !errors.As(err, &p) {
		return &gitops.Problem{Kind: gitops.Unreachable, What: mask.Replace(err.Error()), Err: err}
	}
	out := *p
	out.What, out.Fix, out.Near = mask.Replace(p.What), mask.Replace(p.Advice()), nil
	return &out
}
