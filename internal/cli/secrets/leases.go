package secrets

import (
	"fmt"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
)

// Lease is until when values count that a generator made.
type Lease struct {
	// Generator is Kind/Name.
	Generator string    `json:"generator"`
	Ends      time.Time `json:"ends"`
	Renewed   time.Time `json:"renewed"`
	// Next is when it is renewed; when it cannot be renewed any more, that other values are
	// made then.
	Next  time.Time `json:"next,omitzero"`
	Final bool      `json:"final,omitempty"`
	// Replaced is when other values took the place of these.
	Replaced time.Time `json:"replaced,omitzero"`
}

func leasesOf(all []lease.Lease) (out []Lease) {
	for _, l := range all {
		one := Lease{Generator: l.Generator, Ends: l.End().UTC(), Renewed: l.Renewed.UTC(), Final: l.Final, Replaced: l.Retired.UTC()}
		if l.Live() {
			one.Next = l.Next().UTC().Truncate(time.Second)
		}
		out = append(out, one)
	}
	return out
}

// LeaseText is when the first of the values ends that are in use.
func (s *Secret) LeaseText(now time.Time) string {
	var first *Lease
	for i := range s.Leases {
		if l := &s.Leases[i]; l.Replaced.IsZero() && (first == nil || l.Ends.Before(first.Ends)) {
			first = l
		}
	}
	if first == nil {
		return ""
	}
	return first.until(now)
}

func (l *Lease) until(now time.Time) string {
	if !now.Before(l.Ends) {
		return "ended " + table.Age(l.Ends, now) + " ago"
	}
	return "ends in " + table.Age(now, l.Ends)
}

// Told is what there is to say of it.
func (l *Lease) Told(now time.Time) string {
	ends := fmt.Sprintf("%s (%s)", l.until(now), l.Ends.Format(time.RFC3339))
	if !l.Replaced.IsZero() {
		return fmt.Sprintf("the lease of values that were replaced %s ago %s", table.Age(l.Replaced, now), ends)
	}
	then := "is renewed"
	if l.Final {
		then = "cannot be renewed any more: other values are made"
	}
	when := "now"
	if l.Next.After(now) {
		when = "in " + table.Age(now, l.Next)
	}
	return fmt.Sprintf("the lease of %s %s, was renewed %s ago, and %s %s", l.Generator, ends, table.Age(l.Renewed, now), then, when)
}
