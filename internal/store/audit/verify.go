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
}

// NewVerifier begins. An entry with the hash expect must be in the chain, or
// have been its last one that was deleted for its age; empty for none.
func NewVerifier(expect string) *Verifier { return &Verifier{expect: expect, expected: expect == ""} }

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
	case r.Entries > 0 && sequence > r.Last+1:
		return nil, &Broken{r.Last + 1, "it is missing"}
	case r.Entries > 0 && sequence <= r.Last:
		return broken("it comes after entry %d", r.Last)
	case r.Entries > 0 && e.Previous != r.Hash:
		return broken("it does not follow entry %d: it was written after one with the hash %s, and that one has %s", r.Last, e.Previous, r.Hash)
	case sequence == 1 && e.Previous != "":
		return broken("it is the first, and was written after another")
	}
	if r.Entries == 0 {
		r.First, v.start = sequence, e.Previous
	}
	if e.Checkpoint != nil {
		v.point, v.pointAt = e.Checkpoint, sequence
	}
	v.expected = v.expected || hash == v.expect || e.Previous == v.expect
	r.Entries, r.Last, r.Hash = r.Entries+1, sequence, hash
	return e, nil
}

// End tells whether all of it is there: the beginning was deleted by the
// limits alone, and what is expected was found.
func (v *Verifier) End() (Report, error) {
	r := v.report
	switch {
	case r.First > 1 && v.point == nil:
		return r, &Broken{1, fmt.Sprintf("it is missing: the first that is left is %d, and no checkpoint vouches for those before it", r.First)}
	case r.First > 1 && (v.point.Through != r.First-1 || v.point.Hash != v.start):
		return r, &Broken{v.point.Through + 1, fmt.Sprintf("the first that is left is %d, and the checkpoint of entry %d vouches for those up to %d", r.First, v.pointAt, v.point.Through)}
	case !v.expected:
		return r, &Broken{r.Last, fmt.Sprintf("it is the last, and none has the hash %s: the audit was cut off or written anew, or what is expected was deleted for its age", v.expect)}
	}
	return r, nil
}
