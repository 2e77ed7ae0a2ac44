package policy

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// schedules are five fields; descriptors such as @daily are refused.
var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// hours are the times at which a window is open.
type hours struct {
	schedule cron.Schedule
	length   time.Duration
	zone     *time.Location
}

// parseHours reads a window. A zone that is not known is UTC, as in Argo CD.
func parseHours(w *v1alpha1.SyncWindow) (hours, error) {
	schedule, err := schedules.Parse(w.Schedule)
	if err != nil {
		return hours{}, fmt.Errorf("cannot read the schedule %q: %w", w.Schedule, err)
	}
	length, err := time.ParseDuration(w.Duration)
	if err != nil {
		return hours{}, fmt.Errorf("cannot read the duration %q: %w", w.Duration, err)
	}
	zone, err := time.LoadLocation(w.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return hours{schedule, length, zone}, nil
}

// wall is the zone's wall clock put on a clock without changes of its own: a
// long window follows the wall clock.
func (h hours) wall(at time.Time) time.Time {
	_, offset := at.In(h.zone).Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// open tells whether an instant is inside. Both ends are outside.
func (h hours) open(at time.Time) bool {
	wall := h.wall(at)
	begin := h.schedule.Next(wall.Add(-h.length))
	return !begin.IsZero() && begin.Before(wall)
}

// edge is the next instant at or after which open may say something else;
// zero when there is none.
func (h hours) edge(at time.Time) time.Time {
	wall := h.wall(at)
	var next time.Time
	consider := func(on time.Time) {
		if next.IsZero() || on.Before(next) {
			next = on
		}
	}
	if begin := h.schedule.Next(wall.Add(-time.Nanosecond)); !begin.IsZero() {
		consider(at.Add(begin.Sub(wall)))
	}
	if begin := h.schedule.Next(wall.Add(-h.length)); !begin.IsZero() && begin.Before(wall) {
		consider(at.Add(begin.Add(h.length).Sub(wall)))
	}
	// From the next change of the zone's offset on it has to be worked out anew.
	if _, end := at.In(h.zone).ZoneBounds(); !end.IsZero() && !next.IsZero() {
		consider(end)
	}
	return next
}

// never tells that no date fits the schedule: the 31st of February.
func (h hours) never() bool { return h.schedule.Next(leapYear).IsZero() }

// leapYear begins a time in which each possible date comes within five years,
// which is how far a schedule looks.
var leapYear = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// always tells that one opening lasts until the next.
func (h hours) always() bool {
	const looks = 400 // a year of days
	begin := h.schedule.Next(leapYear)
	for range looks {
		next := h.schedule.Next(begin)
		if next.IsZero() || next.Sub(begin) > h.length {
			return false
		}
		begin = next
	}
	return true
}
