package view

import (
	"math/rand/v2"
	"sort"
	"time"
)

// Moment is how far somebody has been told of changes: when the last of those was
// that they may see, with the number of the index. Versions would tell them of each
// change that they may not see. Moments of one index are in order, and all are exact
// as numbers of JavaScript, until 2054.
type Moment uint64

const (
	// indexes is how many numbers indexes have: what another index has told of leads
	// nowhere in this one, which learns of changes at other times.
	indexes = 1 << 9
	// tick is what moments are told in. No two changes have one: in order to be so
	// many, there would have to be 16,000 a second.
	tick = time.Millisecond / 16
)

// dawn is when moments begin to be counted.
var dawn = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

// Place is a version with the moment that stands for it.
type Place struct {
	Version uint64
	Moment  Moment
}

// clock tells the time of an index in ticks. It never goes back.
type clock struct {
	born, last int64
	began      time.Time
	index      uint64
}

func newClock(now time.Time) clock {
	born := max(int64(now.Sub(dawn)/tick), 0)
	return clock{born, born, time.Now(), rand.Uint64N(indexes)} //nolint:gosec // it is no secret
}

// now is a time that nothing comes before which comes later.
func (c *clock) now() int64 {
	c.last = max(c.last, c.born+int64(time.Since(c.began)/tick))
	return c.last
}

// next is a time after all that were told.
func (c *clock) next() int64 {
	told := c.last
	c.last = max(c.now(), told+1)
	return c.last
}

func (c *clock) moment(at int64) Moment {
	return Moment(uint64(at)*indexes + c.index) //nolint:gosec // it is after the dawn
}

// Begin is where somebody begins who knows of nothing.
func (i *Index) Begin() Place {
	i.mu.Lock()
	defer i.mu.Unlock()
	return Place{i.version, i.clock.moment(i.clock.now())}
}

// At is the version after which changes are told to somebody who has been told up to
// a moment. It is false where the moment is none of this index, or what came after it
// is not known any more.
func (i *Index) At(m Moment) (version uint64, known bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := int64(m / indexes) //nolint:gosec // far below the bound
	if uint64(m%indexes) != i.clock.index || at < i.clock.born || at > i.clock.now() || at < i.changes.lost {
		return 0, false
	}
	return i.changes.upTo(at, i.version), true
}

// upTo is the version that there was at a time.
func (c *changes) upTo(at int64, now uint64) uint64 {
	n := sort.Search(len(c.all), func(n int) bool { return c.all[n].at > at })
	if n == len(c.all) {
		return now
	}
	return c.all[n].version - 1
}
