package gitops

import "errors"

// mostError bounds the text of an error in bytes, as what people are told of it.
const mostError = mostCondition

// Brief is an error whose text is no longer than a condition may be. Of one that is,
// the beginning stays, and what kind of Problem it is, where, and what to do about
// it. Errors repeat what others wrote, and are kept, logged and told in many places.
func Brief(err error) error {
	if err == nil || len(err.Error()) <= mostError {
		return err
	}
	var p *Problem
	if !errors.As(err, &p) {
		return errors.New(Condition(err.Error()))
	}
	const part = mostError / 8
	out := &Problem{Kind: p.Kind, What: err.Error(), Fix: First(p.Fix, part), Near: p.Near, Err: briefCause(p.Err)}
	if whole := p.Error(); whole == out.What { // nothing was put around it
		out.What, out.Where = p.What, p.Where
	}
	out.What = First(out.What, mostError/2)
	for _, text := range []*string{&out.Where.RepoURL, &out.Where.Revision, &out.Where.File} {
		*text = First(*text, part)
	}
	return out
}

// briefCause keeps of a cause what errors.Is and errors.As look for.
func briefCause(err error) error {
	var fetch *FetchError
	if errors.As(err, &fetch) && len(err.Error()) > mostError {
		return &FetchError{Ref: fetch.Ref, Err: Brief(fetch.Err)}
	}
	return Brief(err)
}
