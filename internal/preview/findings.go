package preview

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// forecast is the comparison as a document, with findings of both sides beside those of the pairs.
func (c *comparison) forecast(ctx context.Context, found, old []finding) *forecast.Forecast {
	f := &forecast.Forecast{
		APIVersion: forecast.APIVersion,
		Base:       c.before.summary(), Head: c.after.summary(),
		Clusters: c.after.Side.Roster.Names(),
		Groups:   c.groups(),
	}
	failures, warnings := c.after.failed(), append(c.after.findings(), found...)
	oldFailures, oldWarnings := c.before.failed(), append(c.before.findings(), old...)
	renderedBefore, renderedAfter := map[ID]bool{}, map[ID]bool{}
	for _, p := range c.pairs {
		failures, warnings = append(failures, p.failures...), append(warnings, p.warnings...)
		oldWarnings = append(oldWarnings, p.oldWarnings...)
		renderedBefore[p.id], renderedAfter[p.id] = p.renderedBase, p.renderedHead
		if p.base != nil && p.base.failed() != nil {
			oldFailures = append(oldFailures, c.before.failure(p.base, p.base.failed()))
		}
		p.sum(&f.Summary)
	}
	oldWarnings = c.before.nowhere(oldWarnings, renderedBefore)
	warnings = c.after.nowhere(warnings, renderedAfter)
	c.sets(ctx, &f.Summary)
	f.Missing = missing(failures, oldFailures)
	f.Failures = join(c.after, withoutMissing(failures), oldFailures)
	f.Warnings = join(c.after, warnings, oldWarnings)
	return f
}

// findings are the warnings of a side that need no render.
func (s *State) findings() []finding {
	_, declared := s.declared()
	_, broken := s.broken()
	return slices.Concat(declared, broken, s.warnings, s.unresolved(), s.idle(), s.strangers())
}

func (s *State) summary() forecast.Side {
	return forecast.Side{Revision: s.Side.Revision, Commit: s.Side.Commit, Title: s.Side.Title, Applications: len(s.Apps)}
}

// failed are the failures of a side before anything more is rendered.
func (s *State) failed() []finding {
	declared, _ := s.declared()
	broken, _ := s.broken()
	return slices.Concat(declared, broken, s.failures)
}

// broken are the rules about clusters' metadata that do not hold, each with
// all clusters of one file that break it. The place is the Secret, which has to
// be edited; where no file describes the cluster it is the rule.
func (s *State) broken() (failures, warnings []finding) {
	if s.Side.Rules == nil {
		return nil, nil
	}
	type breach struct {
		Broken

		at gitops.Origin
	}
	found := map[breach]*finding{}
	var order []breach
	for _, c := range s.Side.Roster.Clusters {
		for _, b := range s.Side.Rules(c.Cluster) {
			at := breach{b, c.Origin}
			if found[at] == nil {
				found[at] = b.finding(c.Origin)
				order = append(order, at)
			}
			found[at].clusters = append(found[at].clusters, c.Name)
		}
	}
	for _, b := range order {
		if b.Refused {
			failures = append(failures, *found[b])
			continue
		}
		warnings = append(warnings, *found[b])
	}
	return failures, warnings
}

// finding tells of a breach at a Secret.
func (b Broken) finding(secret gitops.Origin) *finding {
	out := &finding{reason: "BrokenMetadataRule", message: b.Message + " (" + b.Schema + ")", origin: b.Origin}
	if secret.File == "" {
		return out
	}
	out.same = out.message + "\n" + secret.File
	out.message, out.origin = b.Message+" ("+b.Schema+", "+b.Origin.String()+")", secret
	return out
}

// declared are the findings of reading the repository: failures leave out what
// a file declares.
func (s *State) declared() (failures, warnings []finding) {
	for _, w := range s.Side.Found.Warnings {
		f := finding{reason: w.Reason, message: w.Message, origin: w.Origin}
		if unreadable[w.Reason] {
			failures = append(failures, f)
			continue
		}
		warnings = append(warnings, f)
	}
	return failures, warnings
}

// unreadable are the reasons for which a declaration is left out.
var unreadable = map[string]bool{"BrokenYAML": true, "WrongType": true}

func (p *pair) sum(s *forecast.Summary) {
	s.Rendered += p.rendered
	s.Reused += p.reused
	switch {
	case p.change == forecast.Added:
		s.Added++
	case p.change == forecast.Removed:
		s.Removed++
	case p.change == forecast.Changed:
		s.Changed++
	case p.unknown || p.blocked:
		s.Unknown++
		s.Untold += b2i(!p.renderedHead)
	default:
		s.Unchanged++
	}
	for _, o := range p.objects.Objects {
		switch o.Change {
		case forecast.Added:
			s.Objects.Added++
		case forecast.Removed:
			s.Objects.Removed++
		case forecast.Changed:
			s.Objects.Changed++
		}
	}
}

// join makes one Finding of equal ones on several clusters, and tells which
// were there before.
func join(s *State, all, before []finding) []forecast.Finding {
	old := map[string]bool{}
	for _, f := range before {
		for _, c := range slices.Concat(f.clusters, []string{""}) {
			old[f.identity()+"\n"+c] = true
		}
	}
	index := map[string]int{}
	var out []forecast.Finding
	for _, f := range all {
		key := f.identity()
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, f.document(s))
		}
		for _, c := range orNone(f.clusters) {
			out[i].New = out[i].New || !old[key+"\n"+c]
		}
		out[i].Clusters = append(out[i].Clusters, f.clusters...)
	}
	for i := range out {
		out[i].Clusters = slices.DeleteFunc(out[i].Clusters, func(s string) bool { return s == "" })
		slices.Sort(out[i].Clusters)
		out[i].Clusters = slices.Compact(out[i].Clusters)
	}
	slices.SortStableFunc(out, func(a, b forecast.Finding) int {
		return cmp.Or(-cmp.Compare(b2i(a.New), b2i(b.New)), strings.Compare(a.Reason, b.Reason), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Subject, b.Subject))
	})
	return out
}

// orNone is one empty name for what depends on no cluster.
func orNone(clusters []string) []string {
	if len(clusters) == 0 {
		return []string{""}
	}
	return clusters
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// identity is the same for one finding on several clusters, and at two
// revisions: messages of a file count without the application that reads it.
func (f finding) identity() string {
	if f.same != "" {
		return f.reason + "\n" + f.same
	}
	if f.origin.File != "" {
		return f.reason + "\n" + f.origin.File + "\n" + f.plain()
	}
	return f.subject.String() + "\n" + f.plain()
}

// plain is the message without the revision in it, which differs by itself.
func (f finding) plain() string {
	text := f.message
	var p *gitops.Problem
	if errors.As(f.err, &p) {
		text = p.What
	}
	if f.origin.Revision != "" {
		text = strings.ReplaceAll(text, f.origin.Revision, "")
	}
	return text
}

func (f finding) document(s *State) forecast.Finding {
	at := s.Side.place(f.whereItIs(s))
	out := forecast.Finding{Reason: f.reason, Message: f.message, File: at.File, Line: at.Line}
	if f.subject != (ID{}) {
		out.Subject = f.subject.String()
	}
	return out
}

// whereItIs is the place that the error names, if that is a file. Of a path
// that is not there, what names it is the place.
func (f finding) whereItIs(s *State) gitops.Origin {
	var p *gitops.Problem
	if !errors.As(f.err, &p) || p.Where.File == "" {
		return f.origin
	}
	if p.Where.Line > 0 {
		return p.Where
	}
	at := s.Side.place(p.Where)
	if at.RepoURL != "" || s.Side.Repo == nil {
		return f.origin
	}
	if info, err := s.Side.Repo.Tree.Stat(at.File); err != nil || info.IsDir() {
		return f.origin
	}
	return p.Where
}

// withoutMissing leaves out what is told as Missing.
func withoutMissing(all []finding) []finding {
	return slices.DeleteFunc(slices.Clone(all), func(f finding) bool { return f.reason == notMirrored })
}

// fetchCommand fetches what is missing, for the next preview.
const fetchCommand = "causeway mirror"

// missingRef is the reference that could not be fetched: what a render asked
// for, else a source of the application.
func missingRef(err error, p *gitops.Problem) gitops.SourceRef {
	var absent *gitops.MissingSource
	var remote *gitops.FetchError
	var own *fetchError
	ref := gitops.SourceRef{RepoURL: p.Where.RepoURL, Revision: p.Where.Revision}
	switch {
	case errors.As(err, &absent):
		ref = absent.Ref
	case errors.As(err, &remote):
		ref = remote.Ref
	case errors.As(err, &own):
		ref = own.ref
	}
	return gitops.SourceRef{RepoURL: ref.RepoURL, Chart: ref.Chart, Revision: ref.Revision}
}

// missing lists each source that cannot be read from here once, and tells which
// applications did not need it before.
func missing(all, before []finding) []forecast.Missing {
	needed := map[gitops.SourceRef][]ID{}
	for _, f := range before {
		if f.reason == notMirrored {
			ref := missingRef(f.err, sourceProblem(f.err))
			needed[ref] = append(needed[ref], f.subject)
		}
	}
	index := map[gitops.SourceRef]int{}
	var out []forecast.Missing
	for _, f := range all {
		if f.reason != notMirrored {
			continue
		}
		p := sourceProblem(f.err)
		ref := missingRef(f.err, p)
		i, ok := index[ref]
		if !ok {
			i = len(out)
			index[ref] = i
			out = append(out, forecast.Missing{RepoURL: gitops.PublicAddress(ref.RepoURL), Chart: ref.Chart, Revision: ref.Revision, Message: p.What, Command: fetchCommand})
		}
		out[i].Applications = append(out[i].Applications, f.subject.Name)
		out[i].New = out[i].New || !slices.Contains(needed[ref], f.subject)
	}
	for i := range out {
		slices.Sort(out[i].Applications)
		out[i].Applications = slices.Compact(out[i].Applications)
	}
	return out
}

// sourceProblem is the problem in an error that tells which source it is
// about; the outermost one when none does.
func sourceProblem(err error) *gitops.Problem {
	var first *gitops.Problem
	for err != nil {
		var p *gitops.Problem
		if !errors.As(err, &p) {
			break
		}
		if first == nil {
			first = p
		}
		if p.Where.RepoURL != "" {
			return p
		}
		err = p.Err
	}
	if first == nil {
		return &gitops.Problem{}
	}
	return first
}
