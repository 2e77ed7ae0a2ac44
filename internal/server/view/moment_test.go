package view

import (
	"testing"
	"time"
)

func shopped(r *Row) bool { return r.Project == "shop" }

// What others change moves no moment, however much that is; what one sees does, each
// time to a later one, and one goes on from it without missing anything.
func TestMomentsTellNothingOfWhatIsHidden(t *testing.T) {
	i := sample()
	begun := i.Begin()
	for n := range 100 {
		i.Put(row("dns-prod", "platform", "prod", "Synced", string(rune('a'+n%26))))
	}
	d, known := i.Since(begun.Version, shopped)
	if !known || d.Moment != 0 || d.Version != begun.Version+100 {
		t.Errorf("the moment of 100 hidden changes is %d: %+v, %t", d.Moment, d, known)
	}
	last := begun.Moment
	for n, change := range []func(){
		func() { i.Put(row("web-dev", "shop", "dev", "OutOfSync", "Healthy")) },
		func() { i.Put(row("web-dev", "platform", "dev", "OutOfSync", "Healthy")) }, // it goes to where one sees nothing
		func() { i.Put(row("web-new", "shop", "dev", "OutOfSync", "Healthy")) },
		func() { i.Drop(Key{"argocd", "web-prod"}) },
	} {
		before, ok := i.At(last)
		change()
		i.Put(row("hidden", "platform", "prod", "Synced", string(rune('a'+n))))
		d, known := i.Since(before, shopped)
		if !ok || !known || d.Moment <= last || len(d.Changed)+len(d.Gone) != 1 {
			t.Errorf("change %d: moment %d after %d, %+v", n, d.Moment, last, d)
		}
		last = d.Moment
	}
	if version, ok := i.At(last); !ok || version != i.Now().Version-1 {
		t.Errorf("the last moment leads to %d of %d, %t", version, i.Now().Version, ok)
	}
}

// A moment of another index, of the future, or from before what is remembered leads
// nowhere.
func TestMomentsThatLeadNowhere(t *testing.T) {
	i := sample()
	early := i.Begin().Moment
	other := NewIndex(began)
	other.clock.index = i.clock.index ^ 1
	later := NewIndex(began.Add(time.Hour))
	later.clock.index = i.clock.index
	for name, m := range map[string]Moment{
		"another index": other.Begin().Moment, "an index that began later": later.Begin().Moment, "nothing": 0, "a version": Moment(i.Now().Version),
	} {
		if version, ok := i.At(m); ok {
			t.Errorf("%s: it leads to %d", name, version)
		}
	}
	if _, ok := later.At(early); ok {
		t.Error("what was told by an index before leads somewhere")
	}
	if version, ok := i.At(early); !ok || version != i.Now().Version {
		t.Errorf("the moment leads to %d, %t", version, ok)
	}
	for n := range 2000 {
		i.Put(RowOf(long(n), "prod"))
	}
	if _, ok := i.At(early); ok {
		t.Error("a forgotten moment is known")
	}
	if m := i.Begin().Moment; m > 1<<53 {
		t.Errorf("moment %d is no number of JavaScript", m)
	}
}

// Times of changes are in order and no two are one, also where the clock stands still.
func TestClock(t *testing.T) {
	c := newClock(began)
	c.began = time.Now().Add(time.Hour) // it stands still for an hour
	last := c.now()
	for range 10 {
		next := c.next()
		if next <= last {
			t.Fatalf("%d comes after %d", next, last)
		}
		if last = next; c.now() != last {
			t.Fatalf("it is %d, and was %d", c.now(), last)
		}
	}
}
