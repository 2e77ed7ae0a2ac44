package lease

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"time"
)

// Lease is what is known of credentials that a generator made. None of it is a value: with
// its ID, who has a token of the server that permits it can renew or revoke them.
type Lease struct {
	// Generator made them: Kind/Name.
	Generator string `json:"generator"`
	// ID of the lease at the server.
	ID string `json:"id"`
	// Renewable is that the server said so.
	Renewable bool `json:"renewable,omitempty"`
	// Final is that they cannot be made to last longer.
	Final bool `json:"final,omitempty"`
	// Span is for how many seconds they counted when they were made.
	Span int64 `json:"span"`
	// Made is when that was, and Renewed when they were given as much time last.
	Made    time.Time `json:"made"`
	Renewed time.Time `json:"renewed"`
	// Ends is when the lease ends, and TokenEnds when the token does that they were made
	// with, which ends them as well; the zero time for one that lasts.
	Ends      time.Time `json:"ends"`
	TokenEnds time.Time `json:"tokenEnds,omitzero"`
	// Retired is when others took their place; the zero time for those that are in use.
	Retired time.Time `json:"retired,omitzero"`
}

var (
	// ErrOver is of credentials that do not count any more.
	ErrOver = errors.New("the credentials have ended")
	// ErrRefused is of credentials that the server does not let be revoked.
	ErrRefused = errors.New("the server refuses to revoke the lease")
)

// End is when the credentials end, if nobody renews them.
func (l *Lease) End() time.Time {
	if !l.TokenEnds.IsZero() && l.TokenEnds.Before(l.Ends) {
		return l.TokenEnds
	}
	return l.Ends
}

// Live reports whether they are those that are in use.
func (l *Lease) Live() bool { return l.Retired.IsZero() }

const (
	// latest and spread are the part of their time after which credentials are renewed, or
	// replaced: at two thirds at the latest, and each lease a little earlier than that, so
	// that a thousand of them are not renewed in the same second.
	latest = 2.0 / 3
	spread = 1.0 / 12
	// whole is the part of its span that a renewal has to give: a server rounds to seconds,
	// and gives less where the longest time of a lease is near.
	whole = 0.9
)

// Next is when they are renewed, or replaced where they are Final.
func (l *Lease) Next() time.Time {
	h := fnv.New32a()
	_, _ = h.Write([]byte(l.ID))
	part := latest - spread*float64(h.Sum32())/math.MaxUint32
	return l.Renewed.Add(time.Duration(float64(l.End().Sub(l.Renewed)) * part))
}

// Due reports whether they are renewed or replaced now. A time that lies ahead is of
// another clock, and says nothing.
func (l *Lease) Due(now time.Time) bool { return !now.Before(l.Next()) || l.Renewed.After(now) }

// Short reports whether they end sooner than after the time that they had at first.
func (l *Lease) Short(now time.Time) bool {
	return l.End().Sub(now).Seconds() < whole*float64(l.Span)
}

// Until is how long they are left to those who may still use them after they were
// retired: until they end, and no longer than a grace.
func (l *Lease) Until(grace time.Duration) time.Time {
	if until := l.Retired.Add(grace); until.Before(l.End()) {
		return until
	}
	return l.End()
}

// mostRetired bounds how many are kept in mind for one Secret.
const mostRetired = 64

// Retire are leases of which none is in use after a time, the oldest left out where
// there are very many: those are returned as well.
func Retire(all []Lease, now time.Time) (retired, tooOld []Lease) {
	retired = slices.Clone(all)
	for i := range retired {
		if retired[i].Live() {
			retired[i].Retired = now
		}
	}
	slices.SortStableFunc(retired, func(a, b Lease) int { return a.Retired.Compare(b.Retired) })
	over := max(0, len(retired)-mostRetired)
	return retired[over:], retired[:over]
}

// Text is what is written of leases; empty for none.
func Text(all []Lease) string {
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		return ""
	}
	return string(text)
}

const (
	// mostText bounds what is read, in bytes: annotations of an object have 256 KiB.
	mostText = 256 << 10
	// mostRead is how many leases are read: each may cost a request, and whoever may write
	// Secrets may have written them.
	mostRead = 2 * mostRetired
)

// Parse reads what Text wrote; none where it is something else. Of very many, it is the
// last, as the newest are.
func Parse(text string) []Lease {
	var all []Lease
	if len(text) > mostText || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	all = slices.DeleteFunc(all, func(l Lease) bool { return l.ID == "" || l.Ends.IsZero() })
	return all[max(0, len(all)-mostRead):]
}
