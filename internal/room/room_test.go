package room

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// look has work of a project take so much, and returns what ends it. It reports whether
// there was room: where there is none the look is over.
func (r *Room) look(t *testing.T, project, who string, takes ...int64) (g *Guest, ok bool) {
	t.Helper()
	ctx, g := r.Enter(t.Context(), project, who)
	if Fits(ctx) != nil {
		g.End()
		return g, false
	}
	for _, bytes := range takes {
		if err := Take(ctx, bytes); err != nil {
			if !errors.Is(err, ErrNoRoom) {
				t.Error(err)
			}
			g.End()
			return g, false
		}
	}
	return g, true
}

// empty tells what is left in a room.
func (r *Room) empty(t *testing.T) {
	t.Helper()
	if used, _ := r.Used(); used != 0 || r.used != 0 || len(r.held) != 0 {
		t.Errorf("%d bytes are left, of %v", used, r.held)
	}
}

// TestRoomOfProjects has no project stop another, whatever it takes.
func TestRoomOfProjects(t *testing.T) {
	type take struct {
		project string
		bytes   []int64
		ok      bool
	}
	one := func(project string, bytes int64, ok bool) take { return take{project, []int64{bytes}, ok} }
	for name, tc := range map[string]struct {
		reason string
		takes  []take
	}{
		"Share":    {"one project has half at most", []take{one("red", 3000, true), one("red", 2000, true), one("red", 100, false), one("blue", 5000, true)}},
		"Larger":   {"what is larger than half counts as half, and finds room beside what another project has", []take{one("red", 70000, true), one("blue", 90000, true)}},
		"Alone":    {"what is larger than half is alone of its project", []take{one("red", 100, true), one("red", 70000, false)}},
		"Several":  {"a project leaves as much free as it has, whoever has the rest", []take{one("red", 5000, true), one("blue", 1500, true), one("blue", 1500, false), one("green", 3500, true)}},
		"Small":    {"what is small is let in where there is no room at all", []take{one("red", 5000, true), one("blue", 5000, true), one("blue", 9, true), one("blue", 10, false)}},
		"Together": {"what one look takes counts together", []take{one("red", 5000, true), one("blue", 5000, true), {"blue", []int64{5, 5}, false}}},
		"First":    {"two projects that fill the room stop no other one", []take{one("red", 5000, true), one("blue", 5000, true), one("green", 157, false), one("grey", 156, true), one("grey", 156, false), one("black", 156, true), one("black", 157, false)}},
		"Grows":    {"what is let in beside the room has no more there", []take{one("red", 5000, true), one("blue", 5000, true), {"green", []int64{100, 56}, true}, {"grey", []int64{100, 57}, false}}},
		"Little":   {"what is small finds what its project leaves free, and leaves its share as it is", []take{one("red", 5000, true), one("red", 39, true), one("red", 40, false), one("blue", 39, true), one("blue", 4922, true)}},
		"More":     {"who has half takes whatever more it needs", []take{{"red", []int64{5000, 5000, 70000}, true}, one("blue", 5000, true)}},
		"Nothing":  {"what takes nothing has no need of room", []take{one("red", 5000, true), one("blue", 5000, true), one("green", 0, true), one("green", -5, true)}},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(10_000)
			var in []*Guest
			for i, want := range tc.takes {
				g, ok := r.look(t, want.project, strconv.Itoa(i), want.bytes...)
				if in = append(in, g); ok != want.ok {
					t.Errorf("%s: %d is let in: %t", tc.reason, i, ok)
				}
			}
			for _, g := range in {
				g.End()
				g.End() // which changes nothing
			}
			r.empty(t)
		})
	}
}

// TestRoomOfWhoComesAgain takes all that it lacked at once, and nothing before that.
func TestRoomOfWhoComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(10_000)
		first, _ := r.look(t, "red", "first", 4000)
		if _, ok := r.look(t, "red", "second", 500, 2000); ok {
			t.Fatal("there is room")
		}
		if used, refused := r.Used(); used != 4000 || refused != 1 {
			t.Errorf("%d bytes are in use, and %d found no room", used, refused)
		}
		ctx, g := r.Enter(t.Context(), "red", "second")
		if Fits(ctx) == nil || Take(ctx, 0) == nil {
			t.Error("it fits by now")
		}
		g.End()
		first.End()
		ctx, g = r.Enter(t.Context(), "red", "second")
		if err := errors.Join(Fits(ctx), Take(ctx, 0)); err != nil {
			t.Error(err)
		}
		if used, _ := r.Used(); used != 2500 {
			t.Errorf("it has %d", used)
		}
		if err := errors.Join(Take(ctx, 500), Take(ctx, 2000), Take(ctx, 100)); err != nil {
			t.Error(err)
		}
		if used, refused := r.Used(); used != 2600 || refused != 0 {
			t.Errorf("it has %d, and %d found no room", used, refused)
		}
		g.End()
		if Take(ctx, 100) == nil {
			t.Error("work that is over gets room")
		}
		if _, refused := r.Used(); refused != 0 || len(r.claims) != 0 {
			t.Errorf("it is remembered that it found no room: %v", r.claims)
		}
		r.empty(t)
	})
}

// TestRoomBesideIsBounded by three quarters of the room, whatever the number of projects.
func TestRoomBesideIsBounded(t *testing.T) {
	r := New(6400)
	red, _ := r.look(t, "red", "red", 3200)
	blue, _ := r.look(t, "blue", "blue", 3200)
	in := []*Guest{red, blue}
	for i := range 60 {
		g, ok := r.look(t, strconv.Itoa(i), strconv.Itoa(i), 100)
		if in = append(in, g); ok != (i < 48) {
			t.Errorf("%d is let in: %t", i, ok)
		}
	}
	if used, refused := r.Used(); used != 6400+4800 || refused != 12 {
		t.Errorf("%d bytes are in use, and %d found no room", used, refused)
	}
	for _, g := range in {
		g.End()
	}
	r.empty(t)
}

// TestRoomBesideIsInNobodysWay: who is let in before its turn keeps nobody from theirs.
func TestRoomBesideIsInNobodysWay(t *testing.T) {
	r := New(6400)
	red, _ := r.look(t, "red", "red", 3200)
	blue, _ := r.look(t, "blue", "blue", 3200)
	if _, ok := r.look(t, "green", "large", 3200); ok {
		t.Fatal("there is room")
	}
	red.End()
	in := []*Guest{blue}
	for i := range 40 {
		g, ok := r.look(t, strconv.Itoa(i), strconv.Itoa(i), 100)
		if in = append(in, g); !ok {
			t.Errorf("%d is not let in", i)
		}
	}
	large, ok := r.look(t, "green", "large", 3200)
	if !ok {
		t.Error("those that are let in beside the room are in the way")
	}
	for _, g := range append(in, large) {
		g.End()
	}
	r.empty(t)
}

// TestRoomOfWhatIsSmall does not wait for a claim of its own project, and keeps none from
// its turn.
func TestRoomOfWhatIsSmall(t *testing.T) {
	r := New(10_000)
	first, _ := r.look(t, "default", "first", 4950)
	if _, ok := r.look(t, "default", "large", 5000); ok {
		t.Fatal("there is room")
	}
	if _, ok := r.look(t, "default", "other", 40); ok {
		t.Error("what is larger goes before who was refused")
	}
	var in []*Guest
	for i := range 3 { // which is more than the claim leaves
		g, ok := r.look(t, "default", strconv.Itoa(i), 39)
		if in = append(in, g); !ok {
			t.Errorf("what is small waits for a claim: %d", i)
		}
	}
	first.End()
	large, ok := r.look(t, "default", "large", 5000)
	if !ok {
		t.Error("what is small is in the way of who was refused")
	}
	for _, g := range append(in, large) {
		g.End()
	}
	r.empty(t)
}

// TestRoomIsClaimedUntilGranted: who has what it lacked claims it no more, and still has
// its turn for what more it needs.
func TestRoomIsClaimedUntilGranted(t *testing.T) {
	r := New(10_000)
	first, _ := r.look(t, "red", "first", 4000)
	for _, who := range []string{"second", "third"} {
		if _, ok := r.look(t, "red", who, 2000); ok {
			t.Fatal("there is room")
		}
	}
	first.End()
	ctx, second := r.Enter(t.Context(), "red", "second")
	if err := Take(ctx, 2000); err != nil {
		t.Error(err)
	}
	if _, refused := r.Used(); refused != 1 {
		t.Errorf("%d find no room", refused)
	}
	third, ok := r.look(t, "red", "third", 2000)
	if !ok {
		t.Error("what is granted counts twice")
	}
	if c := r.claims["second"]; Take(ctx, 4000) == nil || c != r.claims["second"] || c.turn != 1 || c.asked.IsZero() {
		t.Errorf("of what more it needs it has another turn: %+v", c)
	}
	for _, g := range []*Guest{second, third} {
		g.End()
	}
	r.empty(t)
}

// TestRoomHasTurns: who wants much is let in although others of its project, or two other
// projects, take again and again what becomes free.
func TestRoomHasTurns(t *testing.T) {
	for name, busy := range map[string][]string{"own project": {"blue"}, "other projects": {"red", "green", "grey"}, "all": {"red", "green", "blue"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := New(10_000)
				ctx, cancel := context.WithCancel(t.Context())
				var all sync.WaitGroup
				for _, project := range busy {
					for i := range 20 {
						all.Go(func() {
							for ctx.Err() == nil {
								if g, ok := r.look(t, project, fmt.Sprint(project, i), 900+rand.Int64N(200)); ok {
									time.Sleep(time.Second + rand.N(5*time.Second))
									g.End()
									continue
								}
								time.Sleep(time.Second + rand.N(time.Second))
							}
						})
					}
				}
				time.Sleep(time.Minute)
				began, tries := time.Now(), 0
				for {
					g, ok := r.look(t, "blue", "large", 100_000)
					if g.End(); ok {
						break
					}
					if tries++; time.Since(began) > 10*time.Minute {
						t.Fatal("it is never let in")
					}
					time.Sleep(time.Second + rand.N(time.Second))
				}
				t.Logf("after %s and %d tries", time.Since(began), tries)
				if name != "other projects" && tries == 0 {
					t.Error("nothing was in its way")
				}
				cancel()
				all.Wait()
				r.empty(t)
			})
		})
	}
}

// TestRoomOfWhoIsGone is held for nobody.
func TestRoomOfWhoIsGone(t *testing.T) {
	for name, goes := range map[string]func(r *Room){
		"forgotten": func(r *Room) { r.Forget("large") },
		"silent":    func(*Room) { time.Sleep(lively) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := New(10_000)
				first, _ := r.look(t, "red", "first", 1000)
				if _, ok := r.look(t, "red", "large", 5000); ok {
					t.Fatal("there is room")
				}
				if _, ok := r.look(t, "red", "other", 1000); ok {
					t.Error("nothing is held for who asked first")
				}
				if blue, ok := r.look(t, "blue", "blue", 5000); !ok {
					t.Error("another project is in the way of those who wait for their own")
				} else {
					blue.End()
				}
				goes(r)
				second, ok := r.look(t, "red", "other", 1000)
				if !ok {
					t.Error("room is held for who is gone")
				}
				first.End()
				second.End()
				r.empty(t)
			})
		})
	}
}

// TestRoomIsClaimedInItsProject alone: who goes over to another one has been refused
// nothing there, whether it may go there or not.
func TestRoomIsClaimedInItsProject(t *testing.T) {
	r := New(10_000)
	red, _ := r.look(t, "red", "first", 1000)
	blue, _ := r.look(t, "blue", "blue", 1000)
	if _, ok := r.look(t, "red", "large", 5000); ok {
		t.Fatal("there is room")
	}
	ctx, g := r.Enter(t.Context(), "blue", "large")
	if err := Fits(ctx); err != nil || len(r.claims) != 0 {
		t.Errorf("it claims room of another project: %v, %v", err, r.claims)
	}
	for _, one := range []*Guest{red, blue, g} {
		one.End()
	}
	r.empty(t)
}

// TestRoomTells of each project once in a while.
func TestRoomTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(100)
		_, red := r.Enter(t.Context(), "red", "a")
		_, blue := r.Enter(t.Context(), "blue", "b")
		if !red.Tells() || red.Tells() || !blue.Tells() {
			t.Error("each is told of once")
		}
		time.Sleep(tellEvery)
		if !red.Tells() || len(r.told) != 1 {
			t.Errorf("it is not told again, or of too many: %v", r.told)
		}
	})
}

// TestNoRoom is room for all.
func TestNoRoom(t *testing.T) {
	ctx, g := (*Room)(nil).Enter(t.Context(), "red", "a")
	if err := errors.Join(Fits(ctx), Take(ctx, 1<<40), Take(t.Context(), 1<<40)); err != nil {
		t.Error(err)
	}
	g.End()
	(*Room)(nil).Forget("a")
}

// TestRoomHoldsSoMuch at any time, of each project half, beside what it had first.
func TestRoomHoldsSoMuch(t *testing.T) {
	r := New(10_000)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 500 {
				project := strconv.Itoa(rand.IntN(3))
				g, _ := r.look(t, project, strconv.Itoa(i), rand.Int64N(4000), rand.Int64N(9000))
				r.mu.Lock()
				if r.used > r.size || r.beside > r.size/sole*soleMost || r.held[project] > r.size/2+r.size/sole {
					t.Errorf("%d are in use, and %d beside: %v", r.used, r.beside, r.held)
				}
				r.mu.Unlock()
				g.End()
			}
		})
	}
	all.Wait()
	r.empty(t)
}
