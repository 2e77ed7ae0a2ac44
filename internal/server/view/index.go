package view

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Index has all rows, ordered by name and namespace. It is safe for concurrent
// use; readers never wait for one another.
type Index struct {
	mu      sync.Mutex // writers
	base    uint64     // the version before the first change
	version uint64
	clock   clock
	changes changes
	bell    chan struct{}
	seats   seats
	values  [facetCount]values

	state atomic.Pointer[State]
}

// State is the rows at one version; it does not change.
type State struct {
	Version uint64
	Rows    []*Row

	values [facetCount][]string
}

// perSecond is how many versions there may be for each second of an index's
// life until those of the next one could be mistaken for its own.
const perSecond = 1 << 20

// NewIndex makes an empty one. Its versions are greater than those of indexes
// that were made seconds before: who followed one of them has to read anew.
func NewIndex(now time.Time) *Index {
	base := uint64(max(now.Unix(), 0)) * perSecond
	i := &Index{bell: make(chan struct{}), base: base, version: base, clock: newClock(now), changes: changes{lost: -1}}
	for f := range i.values {
		i.values[f].numbers = map[string]int{}
	}
	i.state.Store(&State{Version: base})
	return i
}

// Now returns the rows as they are.
func (i *Index) Now() *State { return i.state.Load() }

// Get finds a row; nil when there is none.
func (i *Index) Get(k Key) *Row {
	rows := i.Now().Rows
	at, found := find(rows, k)
	if !found {
		return nil
	}
	return rows[at]
}

func find(rows []*Row, k Key) (int, bool) {
	return slices.BinarySearchFunc(rows, k, func(r *Row, k Key) int { return r.Key().compare(k) })
}

// Put takes a row that is new or changed. One that says what is known already
// is no change.
func (i *Index) Put(r *Row) {
	r.weight = weigh(r)
	i.mu.Lock()
	defer i.mu.Unlock()
	rows := i.Now().Rows
	at, found := find(rows, r.Key())
	if found && same(rows[at], r) {
		return
	}
	i.version++
	r.Version = i.version
	var before *Row
	if found {
		before = rows[at]
	}
	i.number(r, before)
	r.Seat = i.seats.of(r, before)
	c := change{version: i.version, key: r.Key(), row: r, before: before}
	next := make([]*Row, 0, len(rows)+1)
	next = append(append(next, rows[:at]...), r)
	if found {
		at++
	}
	i.publish(append(next, rows[at:]...), c)
}

// same reports whether two rows show the same.
func same(a, b *Row) bool {
	left, right := *a, *b
	left.Version, left.Seat, left.values, left.weight = right.Version, right.Seat, right.values, right.weight
	return reflect.DeepEqual(left, right)
}

// number gives the values of a row their numbers, and takes those of the row in
// whose place it comes; nil for none. The caller holds the lock.
func (i *Index) number(r, before *Row) {
	for f := range facets {
		r.values[f] = i.values[f].take(facets[f].value(r))
	}
	i.unnumber(before)
}

func (i *Index) unnumber(before *Row) {
	if before == nil {
		return
	}
	for f := range facets {
		i.values[f].give(before.values[f])
	}
}

// Drop forgets an Application that is gone.
func (i *Index) Drop(k Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	rows := i.Now().Rows
	at, found := find(rows, k)
	if !found {
		return
	}
	i.version++
	i.seats.leave(rows[at].Seat)
	i.unnumber(rows[at])
	next := make([]*Row, 0, len(rows))
	next = append(append(next, rows[:at]...), rows[at+1:]...)
	i.publish(next, change{version: i.version, key: k, row: rows[at], before: rows[at], gone: true})
}

// publish shows rows and wakes who waits. The caller holds the lock.
func (i *Index) publish(rows []*Row, c change) {
	c.at = i.clock.next()
	i.changes.add(c)
	s := &State{Version: i.version, Rows: rows}
	for f := range i.values {
		s.values[f] = i.values[f].all
	}
	i.state.Store(s)
	close(i.bell)
	i.bell = make(chan struct{})
}

// Bell is closed at the next change.
func (i *Index) Bell() <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bell
}

// Delta is what changed after a version: each Application once, as it is now.
type Delta struct {
	Version uint64 `json:"-"`
	// Moment of the last change of what may be seen; 0 for none.
	Moment  Moment `json:"-"`
	Changed []*Row `json:"changed,omitempty"`
	Gone    []Key  `json:"gone,omitempty"`
}

// Weight is about what it takes in memory, in bytes.
func (d *Delta) Weight() int64 {
	all := int64(0)
	for _, row := range d.Changed {
		all += row.weight
	}
	for _, key := range d.Gone {
		all += key.Weight()
	}
	return all
}

// Since tells what changed after a version, of the rows that may be seen. What
// was to be seen and is no more is gone. It is false when what changed is no
// longer known: then all has to be read anew.
func (i *Index) Since(version uint64, visible func(*Row) bool) (Delta, bool) {
	changes, now, known := i.after(version)
	d := Delta{Version: now}
	told := func(c *change) {
		d.Moment = max(d.Moment, i.clock.moment(c.at))
	}
	// Of each Application the last change tells how it is, all of them whether
	// it was to be seen. Nobody waits while that is asked: it may take a while.
	last, seen := map[Key]*change{}, map[Key]bool{}
	var order []Key
	for n := range changes {
		c := &changes[n]
		if last[c.key] == nil {
			last[c.key] = c
			order = append(order, c.key)
		}
		if !seen[c.key] && c.before != nil && visible(c.before) {
			seen[c.key] = true
			told(c)
		}
	}
	for _, k := range order {
		c := last[k]
		switch {
		case !c.gone && visible(c.row):
			d.Changed = append(d.Changed, c.row)
			told(c)
		case seen[k]:
			d.Gone = append(d.Gone, k)
		}
	}
	return d, known
}

// after are the changes after a version, the last one first; not known when
// the version is none of the index, or too old.
func (i *Index) after(version uint64) (changes []change, now uint64, known bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if version < i.base || version > i.version {
		return nil, i.version, false
	}
	changes, known = i.changes.after(version, i.version)
	return changes, i.version, known
}
