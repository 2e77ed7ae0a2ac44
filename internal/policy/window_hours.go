package policy

import (
	"fmt"
	"regexp"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// schedules are five fields; descriptors such as @daily are refused.
var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// zoned is a zone that no schedule follows.
var zoned = regexp.MustCompile(`^(CRON_)?TZ=[^ ]*$`)

// hours are the times at which a window is open.
type hours struct {
	schedule cron.Schedule
	length   time.Duration
	zone     *time.Location
	// whole reports that a day with openings has no gap between its first and its
	// last one, which is so long after midnight. Each has the same.
	whole bool
	last  time.Duration
	// always reports that one opening lasts until the next, for ever.
	always bool
}

type hoursKey struct{ schedule, length, zone string }

type readHours struct {
	hours
	err error
}

var clocks = newMemo(hoursOf, func(k hoursKey) int { return len(k.schedule) + len(k.length) + len(k.zone) })

// parseHours reads a window. A zone that is not known is UTC, as in Argo CD.
func parseHours(w *v1alpha1.SyncWindow) (hours, error) {
	read := clocks.of(hoursKey{w.Schedule, w.Duration, w.TimeZone})
	return read.hours, read.err
}

func hoursOf(key hoursKey) readHours {
	if zoned.MatchString(key.schedule) { // the library panics
		return readHours{err: fmt.Errorf("cannot read the schedule %q: it is a time zone alone", key.schedule)}
	}
	schedule, err := schedules.Parse(key.schedule)
	if err != nil {
		return readHours{err: fmt.Errorf("cannot read the schedule %q: %w", key.schedule, err)}
	}
	length, err := time.ParseDuration(key.length) // below zero is never open, as in Argo CD
	if err != nil {
		return readHours{err: fmt.Errorf("cannot read the duration %q: %w", key.length, err)}
	}
	zone, err := time.LoadLocation(key.zone)
	if err != nil {
		zone = time.UTC
	}
	h := hours{schedule: schedule, length: length, zone: zone}
	h.whole, h.last = h.day()
	begin := h.first()
	h.always = !begin.IsZero() && h.closes(begin).IsZero()
	return readHours{hours: h}
}

// wall is the zone's wall clock put on a clock without changes of its own: a
// long window follows the wall clock.
func (h hours) wall(at time.Time) time.Time {
	_, offset := at.In(h.zone).Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// open reports whether an instant is inside. Both ends are outside.
func (h hours) open(at time.Time) bool {
	wall := h.wall(at)
	begin := h.schedule.Next(wall.Add(-h.length))
	return !begin.IsZero() && begin.Before(wall)
}

// edge is the next instant at or after which open may say something else;
// zero when there is none.
func (h hours) edge(at time.Time) time.Time {
	wall := h.wall(at)
	next := h.schedule.Next(wall.Add(-time.Nanosecond))
	if begin := h.schedule.Next(wall.Add(-h.length)); !begin.IsZero() && begin.Before(wall) {
		next = h.closes(begin)
	}
	if next.IsZero() {
		return next
	}
	next = at.Add(next.Sub(wall))
	// From the next change of the zone's offset on it has to be worked out anew.
	if _, end := at.In(h.zone).ZoneBounds(); !end.IsZero() && end.Before(next) {
		return end
	}
	return next
}

// never reports whether no date fits the schedule: the 31st of February.
func (h hours) never() bool { return h.first().IsZero() }

// first is the first opening of all; zero where there is none.
func (h hours) first() time.Time { return h.schedule.Next(leapYear.Add(-time.Nanosecond)) }

// leapYear begins a time in which each possible date comes within five years,
// which is how far a schedule looks.
var leapYear = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	// sight is how far one opening is followed into the next.
	sight = 5 * 366 * day
	// looks bounds that, and is enough for a look at each day.
	looks = 4000
	day   = 24 * time.Hour
)

// closes is when the opening that begins at an instant of the wall clock has
// ended, with those that begin before it ends; zero where that is not in sight.
// A time that it gives may be too early, as that of an edge may.
func (h hours) closes(begin time.Time) time.Time {
	horizon := begin.Add(sight)
	for range looks {
		if h.whole {
			begin = begin.Truncate(day).Add(h.last)
		}
		next := h.schedule.Next(begin)
		if next.IsZero() || next.Sub(begin) > h.length {
			return begin.Add(h.length)
		}
		if begin = next; begin.After(horizon) {
			return time.Time{}
		}
	}
	return begin.Add(h.length)
}

// day looks at the openings of one day, of which there may be one a minute. A
// schedule that names a zone of its own has other days than the wall clock.
func (h hours) day() (whole bool, last time.Duration) {
	own, is := h.schedule.(*cron.SpecSchedule)
	begin := h.first()
	if !is || own.Location != time.Local || begin.IsZero() { //nolint:gosmopolitan // so is a schedule marked that names no zone
		return false, 0
	}
	midnight := begin.Truncate(day)
	for {
		next := h.schedule.Next(begin)
		if next.IsZero() || next.Sub(midnight) >= day {
			return true, begin.Sub(midnight)
		}
		if next.Sub(begin) > h.length {
			return false, 0
		}
		begin = next
	}
}
