package origin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
)

func TestWhereAddressesAre(t *testing.T) {
	for address, want := range map[string][2]string{
		"192.0.2.1":             {"192.0.2.1", "192.0.2.1"},
		"192.0.2.1:4711":        {"192.0.2.1", "192.0.2.1"},
		"::ffff:192.0.2.1":      {"192.0.2.1", "192.0.2.1"},
		"2001:db8:1:2::3":       {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"[2001:db8:1:2::3]:443": {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"fe80::1%eth0":          {"fe80::/64", "fe80::/48"},
		"pipe":                  {"pipe", "pipe"},
		"":                      {"", ""},
	} {
		if got := [2]string{Network(address), Site(address)}; got != want {
			t.Errorf("%q is in %q, want %q", address, got, want)
		}
	}
}

// Who signs in from all networks that they have makes nobody else's forgotten.
func TestSitesAreKnownBySome(t *testing.T) {
	k := NewKnown()
	k.Add("198.51.100.7")
	k.Add("2001:db8:ffff:1::1")
	for n := range 1 << 16 {
		k.Add(fmt.Sprintf("2001:db8:0:%x::1", n))
	}
	for address, want := range map[string]bool{
		"198.51.100.7": true, "2001:db8:ffff:1::2": true, "2001:db8:0:ffff::1": true, "2001:db8:0:1::1": false, "203.0.113.1": false,
	} {
		if got := k.Has(address); got != want {
			t.Errorf("%s is known: %t, want %t", address, got, want)
		}
	}
	var none *Known
	none.Add("198.51.100.7")
	if none.Has("198.51.100.7") {
		t.Error("nobody is asked, and an address is known")
	}
}

// Nor does who signs in with their name from wherever make another name's forgotten.
func TestNamesAreKnownFromSome(t *testing.T) {
	k := NewKnown()
	k.AddAs("ann", "198.51.100.7")
	for n := range 1 << 16 {
		k.AddAs("mallory", fmt.Sprintf("2001:db8:0:%x::1", n))
	}
	if !k.HasAs("ann", "198.51.100.7") || k.HasAs("bob", "198.51.100.7") || k.HasAs("mallory", "2001:db8::1") || !k.HasAs("mallory", "2001:db8:0:ffff::2") {
		t.Error("another network is known than the last ones of each")
	}
	for n := range 2 * ofGroup { // one that is used all the time stays
		k.AddAs("ann", "198.51.100.7")
		k.AddAs("ann", fmt.Sprintf("192.0.2.%d", n))
	}
	if !k.HasAs("ann", "198.51.100.7") {
		t.Error("where ann comes from each day is forgotten")
	}
}

var share = Share{All: 8, Site: 4, Network: 2, Kept: 2}

func TestPlacesAreShared(t *testing.T) {
	in := func(pattern string) func(int) string { return func(n int) string { return fmt.Sprintf(pattern, n) } }
	for name, tc := range map[string]struct {
		reason string
		from   func(int) string
		most   int
	}{
		"Address": {"one address", func(int) string { return "192.0.2.1" }, share.Network},
		"Network": {"a /64", in("2001:db8::%x"), share.Network},
		"Site":    {"a /48", in("2001:db8:0:%x::1"), share.Site},
		"All":     {"however many", in("192.0.2.%d"), share.All - share.Kept},
	} {
		t.Run(name, func(t *testing.T) {
			k := NewKnown()
			k.Add("198.51.100.7")
			p, took := NewPlaces(share, k), 0
			for n := range 100 {
				if _, ok := p.Try(tc.from(n)); ok {
					took++
				}
			}
			if took != tc.most || p.Used() != took {
				t.Errorf("%s: %d places, %d used, want %d", tc.reason, took, p.Used(), tc.most)
			}
			if _, ok := p.Try("198.51.100.7"); !ok {
				t.Errorf("%s: there is no place for a network that is known", tc.reason)
			}
		})
	}
}

// The next place goes to who is known, and to the site and network that have
// the fewest, and none is lost.
func TestPlacesGoToWhoHasTheFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := NewKnown()
		k.Add("198.51.100.7")
		p := NewPlaces(Share{All: 1, Site: 1, Network: 1}, k)
		give, err := p.Take(t.Context(), "2001:db8::1")
		if err != nil {
			t.Fatal(err)
		}
		order := make(chan string, 3)
		for _, from := range []string{"2001:db8::1", "203.0.113.1", "198.51.100.7"} {
			go func() {
				give, err := p.Take(t.Context(), from)
				if err != nil {
					t.Error(err)
					return
				}
				order <- from
				give()
			}()
			synctest.Wait()
		}
		give()
		give() // twice is once
		synctest.Wait()
		if first := <-order; first != "198.51.100.7" {
			t.Errorf("the first is %s", first)
		}
		if p.Used() != 0 || len(p.waiting)+len(p.queued)+len(p.sites)+len(p.networks)+p.strangers != 0 {
			t.Errorf("something is left: %+v", p)
		}
	})
}

// Who gives up waits no longer, and as many wait as can be looked at.
func TestPlacesAreWaitedForByFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlaces(Share{All: 1, Site: 1, Network: 1}, nil)
		if _, err := p.Take(t.Context(), "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range waitingOf {
			go func() { _, _ = p.Take(ctx, "192.0.2.1") }()
		}
		synctest.Wait()
		if _, err := p.Take(t.Context(), "192.0.2.1"); !errors.Is(err, ErrFull) {
			t.Errorf("one more: %v", err)
		}
		cancel()
		synctest.Wait()
		if len(p.waiting)+len(p.queued) != 0 {
			t.Errorf("%d wait still", len(p.waiting))
		}
	})
}

func TestSender(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:4711":   "192.0.2.1",
		"[2001:db8::1]:80": "2001:db8::1",
		"pipe":             "pipe",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Forwarded-For", "198.51.100.7")
		if got := Sender(r); got != want {
			t.Errorf("a request by %q is from %q, want %q: a header says what its sender likes", remote, got, want)
		}
	}
}
