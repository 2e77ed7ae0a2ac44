package api

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Turnover is an ApplicationSet that would delete Applications.
type Turnover struct {
	Set BridgeSet
	// Going are the names of those of the Of Applications that it has that
	// would go.
	Going []string
	Of    int
	// Why the guard of mass deletions would hold them; empty when they would go.
	Why string
}

// GuardedDeletion is what an ApplicationSet would delete, and the guard of mass
// deletions would hold until somebody approves it.
type GuardedDeletion struct {
	Namespace string `json:"namespace"`
	Set       string `json:"applicationSet"`
	Count     int    `json:"count" doc:"Applications that it would delete, of those that you may read."`
	Of        int    `json:"of" doc:"Applications that it has, of those that you may read."`
	Why       string `json:"why" doc:"What is too much of it, and the limit."`
	Others    bool   `json:"others,omitempty" doc:"The set has further Applications, that you may not read."`
}

// tooMuch is why a deletion is held to who may not read all that it is about.
const tooMuch = "together with applications that you may not read it is more than the guard lets go"

// guardedOf tells what the guard would hold of the sets that may be read, and
// whether there is more.
func guardedOf(all []Turnover, may func(BridgeSet) bool, u *reach.Unseen) (guarded []GuardedDeletion, more bool) {
	guarded = []GuardedDeletion{}
	for i := range all {
		t := &all[i]
		if t.Why == "" {
			continue
		}
		if one := guardedTo(t, u); may(t.Set) && one.Count > 0 {
			guarded = append(guarded, one)
			continue
		}
		more = true
	}
	return guarded, more
}

// guardedTo is a deletion as it is told to who may not read some Applications.
func guardedTo(t *Turnover, u *reach.Unseen) GuardedDeletion {
	out := GuardedDeletion{Namespace: t.Set.Namespace, Set: t.Set.Name, Why: t.Why}
	out.Count, out.Others = u.Besides(t.Set.Namespace, t.Going)
	more := u.OfSet(view.Key{Namespace: t.Set.Namespace, Name: t.Set.Name})
	if out.Of = t.Of - more; out.Others || more > 0 {
		out.Of, out.Others, out.Why = max(out.Of, out.Count), true, tooMuch
	}
	return out
}

// failuresOf are the texts of those sets that may be read.
func failuresOf(all []BridgeFailure, may func(BridgeSet) bool) []string {
	out := []string{}
	for _, f := range all {
		if !may(f.Set) {
			continue
		}
		text := f.Set.Name + ": " + f.Reason
		if f.Keeps {
			text += "; until that is mended the set deletes nothing"
		}
		out = append(out, text)
	}
	return out
}

// deletionTime bounds how long who is about to forget a cluster waits for what
// the guard would say to it.
const deletionTime = 15 * time.Second

// The verdicts of the guard on deletions that are to come.
const (
	// VerdictNone is that it would hold none of them.
	VerdictNone = "none"
	// VerdictSome is that it would hold those that are told.
	VerdictSome = "some"
	// VerdictOthers is that it would hold none of those that are known, where
	// of some sets it is not known what they delete.
	VerdictOthers = "others"
	// VerdictUnknown is that nothing is known.
	VerdictUnknown = "unknown"
)

// verdict tells what the guard would say, of what is held and what is not known.
func verdict(held bool, failures []BridgeFailure) string {
	switch {
	case held:
		return VerdictSome
	case slices.ContainsFunc(failures, func(f BridgeFailure) bool { return !f.Keeps }):
		return VerdictOthers
	}
	return VerdictNone
}

// verdictFor is the one on the deletions that a preview tells of. Where one of
// them is of a set that may not be read there is none: it would tell of that set.
func verdictFor(p *BridgePreview, failures []BridgeFailure, may func(BridgeSet) bool) string {
	for i := range p.Applications {
		if app := &p.Applications[i]; app.Effect == "removed" && !may(app.Of) {
			return VerdictUnknown
		}
	}
	hidden := func(f BridgeFailure) bool { return !may(f.Set) }
	return verdict(len(p.Guarded) > 0, slices.DeleteFunc(slices.Clone(failures), hidden))
}

// foretell adds what the guard would say once a cluster is forgotten, and gives
// what was found out; nil when that cannot be told, which keeps nobody from
// forgetting the cluster.
func (s *server) foretell(ctx context.Context, m *Member, d *MemberDeletion, u *reach.Unseen) *Supposed {
	bounded, cancel := context.WithTimeout(ctx, deletionTime)
	defer cancel()
	found, err := s.without(bounded, m.ID)
	switch {
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded):
		d.Failures = append(d.Failures, "the ApplicationSets could not be expanded in time")
		return nil
	default:
		s.Log.WarnContext(ctx, "it is not known what ApplicationSets delete without a cluster", "cluster", m.Name, "error", err)
		d.Failures = append(d.Failures, "the ApplicationSets could not be expanded; the log of the server says why")
		return nil
	}
	may := s.sightOfSets(ctx).of
	d.Guarded, d.GuardedHidden = guardedOf(found.Turnovers, may, u)
	d.Failures = failuresOf(found.SetFailures, may)
	d.Verdict = verdict(d.GuardedHidden || len(d.Guarded) > 0, found.SetFailures)
	return found
}

// without takes its turn among those who have sets expanded.
func (s *server) without(ctx context.Context, secret string) (*Supposed, error) {
	end, ok := s.Looks.Begin(ctx)
	if !ok {
		return nil, ctx.Err()
	}
	defer end()
	return s.Bridge.Without(ctx, secret)
}
