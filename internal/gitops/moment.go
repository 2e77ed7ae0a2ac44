package gitops

import "time"

// Moment is a time that somebody else wrote, in UTC; the zero time where it is none
// that JSON has: the years 1 to 9999. An answer with another one is no answer.
func Moment(t time.Time) time.Time {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
