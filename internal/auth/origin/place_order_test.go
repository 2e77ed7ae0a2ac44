package origin

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// waiters wait for places, in the order of their addresses, and tell when they are let in.
// Each keeps its place until it is told to give it back.
func waiters(t *testing.T, p *Places, from ...string) (in <-chan string, leave chan<- struct{}) {
	t.Helper()
	entered, left := make(chan string, len(from)), make(chan struct{})
	for _, address := range from {
		go func() {
			give, err := p.Take(t.Context(), address)
			if err != nil {
				return
			}
			entered <- address
			<-left
			give()
		}()
		synctest.Wait()
	}
	return entered, left
}

// Of those who wait it is not the first who comes next, but who has the least.
func TestWhoComesNext(t *testing.T) {
	const known = "198.51.100.7"
	for name, tc := range map[string]struct {
		reason  string
		share   Share
		held    []string // what is taken before
		waiting []string
		want    []string
	}{
		"First":    {"of strangers with as much the first", Share{All: 1, Site: 1, Network: 1}, []string{"192.0.2.9"}, []string{"192.0.2.1", "192.0.2.2"}, []string{"192.0.2.1", "192.0.2.2"}},
		"Known":    {"a network that is known comes before them", Share{All: 1, Site: 1, Network: 1}, []string{"192.0.2.9"}, []string{"192.0.2.1", known}, []string{known, "192.0.2.1"}},
		"Site":     {"then the site that has fewer, by whatever networks", Share{All: 3, Site: 3, Network: 3}, []string{"192.0.2.9", "2001:db8:0:1::1", "192.0.2.8"}, []string{"2001:db8:0:2::1", "203.0.113.1"}, []string{"203.0.113.1", "2001:db8:0:2::1"}},
		"Network":  {"and of one site the network that has fewer", Share{All: 3, Site: 3, Network: 3}, []string{"192.0.2.9", "2001:db8:0:1::1", "192.0.2.8"}, []string{"2001:db8:0:1::2", "2001:db8:0:2::1"}, []string{"2001:db8:0:2::1", "2001:db8:0:1::2"}},
		"PassesBy": {"who has their share is passed by", Share{All: 3, Site: 1, Network: 1}, []string{"192.0.2.9", "192.0.2.1", "192.0.2.8"}, []string{"192.0.2.1", "203.0.113.1"}, []string{"203.0.113.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := NewKnown()
				k.Add(known)
				p := NewPlaces(tc.share, k)
				var gives []func()
				for _, from := range tc.held {
					give, ok := p.Try(from)
					if !ok {
						t.Fatalf("there is no place for %s", from)
					}
					gives = append(gives, give)
				}
				in, leave := waiters(t, p, tc.waiting...)
				gives[0]()
				var got []string
				for range tc.want {
					synctest.Wait()
					got = append(got, <-in)
					leave <- struct{}{}
				}
				synctest.Wait()
				if diff := cmp.Diff(tc.want, got); diff != "" || len(in) > 0 {
					t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
				}
				for _, give := range gives[1:] {
					give()
				}
				close(leave)
			})
		})
	}
}

// One site's many who wait keep no other one from waiting, and who gave up before
// takes no place.
func TestWaitingIsSharedBySites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPlaces(Share{All: 1, Site: 1, Network: 1}, nil)
		give, err := p.Take(t.Context(), "192.0.2.9")
		if err != nil {
			t.Fatal(err)
		}
		many, cancel := context.WithCancel(t.Context())
		for range waitingOf {
			go func() { _, _ = p.Take(many, "2001:db8:0:1::1") }()
		}
		synctest.Wait()
		if _, err := p.Take(t.Context(), "2001:db8:0:2::1"); !errors.Is(err, ErrFull) {
			t.Errorf("one more of the site: %v", err)
		}
		in, leave := waiters(t, p, "203.0.113.1")
		cancel()
		synctest.Wait()
		give()
		synctest.Wait()
		if len(in) != 1 || p.Used() != 1 {
			t.Errorf("%d of another site came in, %d places are used", len(in), p.Used())
		}
		close(leave)
		synctest.Wait()
		gone, end := context.WithCancel(t.Context())
		end()
		if give, err := p.Take(gone, "192.0.2.9"); err == nil {
			give()
		}
		if p.Used() != 0 {
			t.Error("who was gone already holds a place")
		}
	})
}

// What comes in the place of an address is a network of its own, and no two texts
// of one address are two.
func TestAddressesAreOneHoweverWritten(t *testing.T) {
	for reason, texts := range map[string][]string{
		"with a port":           {"192.0.2.1", "192.0.2.1:80", "192.0.2.1:65535"},
		"in brackets":           {"[2001:db8::1]:80", "2001:db8::1", "[2001:db8::1]", "2001:DB8:0:0::0001"},
		"of IPv4 inside of 6":   {"::ffff:192.0.2.1", "[::ffff:192.0.2.1]:80", "[::ffff:c000:201]", "192.0.2.1"},
		"by another interface":  {"fe80::1%eth0", "fe80::1%eth1", "[fe80::1%eth0]:80"},
		"what cannot be read":   {"192.0.2.1:port"},
		"or is out of bounds":   {"192.0.2.1:65536"},
		"or has more than that": {"192.0.2.1, 192.0.2.2"},
	} {
		for _, text := range texts {
			if Network(text) != Network(texts[0]) || Site(text) != Site(texts[0]) {
				t.Errorf("%s: %q is in %q, and %q in %q", reason, text, Network(text), texts[0], Network(texts[0]))
			}
			first, _ := Addr(texts[0])
			if got, ok := Addr(text); ok != (len(texts) > 1) || got != first {
				t.Errorf("%s: %q is the address %s: %t", reason, text, got, ok)
			}
		}
	}
}
