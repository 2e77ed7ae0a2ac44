package render

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRoomOfManifests is shared by projects and destinations, and small manifests
// need none of it.
func TestRoomOfManifests(t *testing.T) {
	const mib = 1 << 20
	type taken struct {
		project, destination string
		mib                  int64
		fits                 bool
	}
	for name, tc := range map[string]struct {
		reason string
		takes  []taken
	}{
		"Small":        {"most Applications are never held up", []taken{{"red", "a", 100, true}, {"blue", "a", 1, true}}},
		"Destination":  {"half for one project and destination", []taken{{"red", "a", 30, true}, {"red", "a", 30, false}, {"red", "b", 30, true}}},
		"Project":      {"three quarters for a project", []taken{{"red", "a", 40, true}, {"red", "b", 30, true}, {"red", "c", 30, false}, {"blue", "a", 30, true}}},
		"All":          {"no more than there is", []taken{{"red", "a", 50, true}, {"blue", "a", 40, true}, {"green", "a", 20, false}}},
		"Larger":       {"what is larger than all has it alone", []taken{{"red", "a", 300, true}, {"blue", "a", 2, false}}},
		"LargerBehind": {"and waits until it has", []taken{{"blue", "a", 2, true}, {"red", "a", 300, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(Limits{InUse: 100 * mib})
			var ends []func()
			for i, take := range tc.takes {
				ctx, end := InUse(t.Context(), take.project, take.destination)
				ends = append(ends, end)
				if fits := r.try(ctx, take.mib*mib); fits != take.fits {
					t.Errorf("%s: take %d: %t", tc.reason, i, fits)
				}
			}
			for _, end := range ends {
				end()
			}
			if r.held != 0 || len(r.of) != 0 {
				t.Errorf("%s: %d bytes are left of %v", tc.reason, r.held, r.of)
			}
		})
	}
}

// TestRoomGoesToWhoHasLeast, and who has some already waits for nobody.
func TestRoomGoesToWhoHasLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(Limits{InUse: 100 << 20, Time: time.Minute})
		first, endFirst := InUse(t.Context(), "red", "a")
		if !r.try(first, 50<<20) {
			t.Fatal("there is no room")
		}
		other, endOther := InUse(t.Context(), "blue", "a")
		if !r.try(other, 40<<20) || !r.try(first, 60<<20) {
			t.Fatal("who has room waits for more of it")
		}
		endFirst()
		var got []string
		wait := func(project, destination string) {
			go func() {
				ctx, end := InUse(t.Context(), project, destination)
				defer end()
				if err := r.wait(ctx, 70<<20); err != nil {
					t.Errorf("%s: %v", project, err)
				}
				got = append(got, project)
			}()
			synctest.Wait()
		}
		wait("blue", "b")
		wait("red", "a")
		late, endLate := InUse(t.Context(), "green", "a")
		defer endLate()
		if r.try(late, 2<<20) {
			t.Error("what is small goes past what is large")
		}
		endOther()
		synctest.Wait()
		if strings.Join(got, " ") != "red blue" && strings.Join(got, " ") != "blue red" || r.held != 0 {
			t.Errorf("%v had room, %d bytes are left", got, r.held)
		}
	})
}

// TestRoomThatIsNotGivenBack is waited for as long as a render may take.
func TestRoomThatIsNotGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(Limits{InUse: 100 << 20, Time: time.Minute})
		has, end := InUse(t.Context(), "red", "a")
		defer end()
		if !r.try(has, 100<<20) {
			t.Fatal("there is no room")
		}
		ctx, _ := InUse(t.Context(), "blue", "a")
		if err := r.wait(ctx, 10<<20); err == nil || !strings.Contains(err.Error(), "take 10 MiB") {
			t.Errorf("it does not tell what it waited for: %v", err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := r.wait(ended, 10<<20); err != context.Canceled { //nolint:errorlint // it is the context's own
			t.Errorf("it waits for who has gone: %v", err)
		}
		if len(r.waiting) != 0 {
			t.Errorf("%d wait still", len(r.waiting))
		}
	})
}
