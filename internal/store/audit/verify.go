package audit

import "fmt"

// Broken names the first entry at which a chain does not hold.
type Broken struct {
	Sequence int64
	Why      string
}

// Error implements error.
func (b *Broken) Error() string {
	return fmt.Sprintf("the audit is broken at entry %d: %s", b.Sequence, b.Why)
}

// Report is what was found of a chain.
type Report struct {
	// Entries from First to Last hold together.
	Entries int64 `json:"entries"`
	First   int64 `json:"first,omitempty"`
	Last    int64 `json:"last,omitempty"`
	// Hash is of the last one: kept elsewhere, it shows later on that nothing
	// up to it was changed or cut off.
	Hash string `json:"hash,omitempty"`
}

// Verifier goes through a chain from its first entry to its last.
type Verifier struct {
	expect   string
	expected bool
	report   Report
	start    string // the hash before the first entry
	point    *Checkpoint
	pointAt  int64
	// holes are where entries are missing, each with the hash that the entry
	// after it follows; gaps are what is vouched for, by where it begins.
	holes []Gap
	gaps  map[int64]Gap
}

// NewVerifier begins. An entry with the hash expect must be in the chain, or
// have been its last one that was deleted for its age; empty for none.
func NewVerifier(expect string) *Verifier {
	return &Verifier{expect: expect, expected: expect == "", gaps: map[int64]Gap{}}
}

// Take looks at the next entry: where it was found, its canonical text and its hash.
func (v *Verifier) Take(sequence int64, text []byte, hash string) (*Entry, error) {
	r := &v.report
	broken := func(why string, args ...any) (*Entry, error) {
		return nil, &Broken{sequence, fmt.Sprintf(why, args...)}
	}
	e, err := Parse(text, hash)
	switch {
	case Hash(text) != hash:
		return broken("it is not what was written: its hash is %s, and it has %s", Hash(text), hash)
	case err != nil:
		return broken("%v", err)
	case e.Sequence != sequence:
		return broken("entry %d is in its place", e.Sequence)
	case r.Entries > 0 && sequence <= r.Last:
		return broken("it comes after entry %d", r.Last)
	case r.Entries > 0 && sequence == r.Last+1 && e.Previous != r.Hash:
		return broken("it does not follow entry %d: it was written after one with the hash %s, and that one has %s", r.Last, e.Previous, r.Hash)
	case sequence == 1 && e.Previous != "":
		return broken("it is the first, and was written after another")
	}
	if r.Entries == 0 {
		r.First, v.start = sequence, e.Previous
	}
	v.vouch(e, sequence)
	v.expected = v.expected || hash == v.expect || e.Previous == v.expect
	r.Entries, r.Last, r.Hash = r.Entries+1, sequence, hash
	return e, nil
}

// vouch takes down which entries are gone: before the first that is left, and
// from the middle. What tells of it comes later in the chain.
func (v *Verifier) vouch(e *Entry, sequence int64) {
	if r := &v.report; r.Entries > 0 && sequence > r.Last+1 {
		v.holes = append(v.holes, Gap{From: r.Last + 1, Through: sequence - 1, Hash: e.Previous})
	}
	if e.Checkpoint != nil {
		v.point, v.pointAt = e.Checkpoint, sequence
	}
	for _, g := range e.Gaps {
		if g.From <= g.Through && g.Through < sequence {
			v.gaps[g.From] = g
		}
	}
}

// missing is the first entry of the holes that nothing vouches for.
func (v *Verifier) missing() *Broken {
	for _, h := range v.holes {
		at, hash := h.From, ""
		for at <= h.Through {
			g, ok := v.gaps[at]
			if !ok || g.Through > h.Through {
				return &Broken{at, "it is missing, and no entry vouches for it"}
			}
			at, hash = g.Through+1, g.Hash
		}
		if hash != h.Hash {
			return &Broken{h.Through + 1, fmt.Sprintf("it was written after an entry with the hash %s, and %d, which is gone, had %s", h.Hash, h.Through, hash)}
		}
	}
	return nil
}

// End reports whether all of it is there: the beginning was deleted by the
// limits alone, and what is expected was found.
func (v *Verifier) End() (Report, error) {
	r, missing := v.report, v.missing()
	switch {
	case r.First > 1 && v.point == nil:
		return r, &Broken{1, fmt.Sprintf("it is missing: the first that is left is %d, and no checkpoint vouches for those before it", r.First)}
	case r.First > 1 && (v.point.Through != r.First-1 || v.point.Hash != v.start):
		return r, &Broken{v.point.Through + 1, fmt.Sprintf("the first that is left is %d, and the checkpoint of entry %d vouches for those up to %d", r.First, v.pointAt, v.point.Through)}
	case missing != nil:
		return r, missing
	case !v.expected && r.Entries == 0:
		return r, &Broken{1, fmt.Sprintf("it is missing: there are no entries, and one with the hash %s is expected", v.expect)}
	case !v.expected:
		return r, &Broken{r.Last, fmt.Sprintf("it is the last, and none has the hash %s: the audit was cut off or written anew, or what is expected was deleted for its age or for room", v.expect)}
	}
	return r, nil
}
