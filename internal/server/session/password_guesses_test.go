package session

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// tried signs in, and reports whether a password was looked at.
func tried(t *testing.T, d *Door, from, name, password string) (in, looked bool) {
	t.Helper()
	_, _, err := d.SignIn(t.Context(), from, name, password)
	return err == nil, !errors.Is(err, ErrBusy)
}

// Passwords are guessed by trying: after a burst there is a wait, for a network
// and for a name.
func TestTriesAreLimited(t *testing.T) {
	g, _ := newGate(t)
	for _, tc := range []struct {
		reason     string
		from, name func(n int) string
		most       int
	}{
		{"of one address", func(int) string { return "192.0.2.1" }, func(n int) string { return fmt.Sprint("name-", n) }, triesBurst},
		{"of one network", func(n int) string { return fmt.Sprintf("2001:db8::%x", n+1) }, func(n int) string { return fmt.Sprint("name-", n) }, triesBurst},
		{"of one name", func(n int) string { return fmt.Sprintf("192.0.%d.%d", n/250, n%250) }, func(int) string { return "ann" }, freshBurst + nameBurst},
		{"of one name from one site", func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n) }, func(int) string { return "ann" }, siteBurst + nameBurst},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, guesses := NewDoor(g), 0
			for n := range 200 {
				if _, looked := tried(t, d, tc.from(n), tc.name(n), "wrong"); looked {
					guesses++
				}
			}
			if guesses != tc.most {
				t.Errorf("tries %s: %d guesses at once, want %d", tc.reason, guesses, tc.most)
			}
		})
	}
}

// Whoever knows a name keeps its owner out only where they come from
// themselves, and guesses no faster for that.
func TestStrangersKeepNobodyOut(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		from   func(n int) string
	}{
		"Address":  {"one address", func(int) string { return "192.0.2.1" }},
		"Network":  {"one network of IPv6", func(n int) string { return fmt.Sprintf("2001:db8::%x", n+1) }},
		"Networks": {"the networks of one site", func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n) }},
		"Few":      {"a few addresses", func(n int) string { return fmt.Sprintf("192.0.2.%d", n%5) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, _ := newGate(t)
				d, guesses := NewDoor(g), 0
				attack := func(minutes int) {
					for n := range minutes * 60 * 4 { // four a second
						if _, looked := tried(t, d, tc.from(n), "ann", "wrong"); looked {
							guesses++
						}
						time.Sleep(time.Second / 4)
					}
				}
				attack(10)
				if in, _ := tried(t, d, "198.51.100.7", "ann", "mistyped"); in {
					t.Fatal("a wrong password is taken")
				}
				if in, _ := tried(t, d, "198.51.100.7", "ann", "right"); !in {
					t.Errorf("%s: who has the right password is kept out", tc.reason)
				}
				attack(10)
				if in, _ := tried(t, d, "198.51.100.8", "ann", "right"); !in {
					t.Errorf("%s: who has the right password is kept out, from elsewhere", tc.reason)
				}
				if most := 20*60/2 + 30; guesses > most+nameBurst+freshBurst {
					t.Errorf("%s: %d guesses in 20 minutes", tc.reason, guesses)
				}
			})
		})
	}
}

// Many networks have a name's tries used up by those that have not failed with
// it; where it has signed in from before, its owner comes in all the same.
func TestOwnersComeFromWhereTheyWere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t)
		d, guesses := NewDoor(g), 0
		if in, _ := tried(t, d, "198.51.100.7", "ann", "right"); !in {
			t.Fatal("nobody has failed, and ann is kept out")
		}
		for n := range 10_000 {
			if _, looked := tried(t, d, fmt.Sprintf("10.%d.%d.1", n/250, n%250), "ann", "wrong"); looked {
				guesses++
			}
			time.Sleep(time.Second / 10)
		}
		if in, _ := tried(t, d, "198.51.100.7", "ann", "right"); !in {
			t.Error("ann is kept out where she was before")
		}
		if in, _ := tried(t, d, "198.51.100.7", "bob", "right"); in {
			t.Error("somebody else is let in there")
		}
		if most := 2*1000/2 + freshBurst + nameBurst; guesses > most+10 {
			t.Errorf("10,000 networks made %d guesses in 1000 seconds", guesses)
		}
	})
}

// Who has the right password uses up nothing that counts guesses.
func TestRightPasswordsAreNoGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t)
		d := NewDoor(g)
		for n := range 200 {
			if in, _ := tried(t, d, fmt.Sprintf("192.0.2.%d", n), "ann", "right"); !in {
				t.Fatalf("sign-in %d is refused", n)
			}
		}
	})
}
