package origin

import (
	"fmt"
	"testing"
)

// held has so much taken from an address, and reports whether it was dropped.
func held(h *Holders, address string, much int64) (one *Holding, dropped *bool) {
	dropped = new(bool)
	one = h.Join(address, func() { *dropped = true })
	one.Take(much)
	for {
		gives, fits := h.Room(one)
		if fits || gives == nil {
			return one, dropped
		}
		gives.Drop()
	}
}

// Who gives way is the oldest of the network that has the most, of the site that
// has the most; strangers leave what is kept to those who are known.
func TestWhoGivesWay(t *testing.T) {
	type hold struct {
		from string
		much int64
		gone bool
	}
	for name, c := range map[string]struct {
		reason string
		share  Share
		holds  []hold
	}{
		"Network": {"a network has its share", Share{All: 100, Site: 100, Network: 50}, []hold{{"192.0.2.1", 30, true}, {"192.0.2.2", 40, false}, {"192.0.2.1", 30, false}}},
		"Site":    {"the network of a site that has the most", Share{All: 100, Site: 50, Network: 50}, []hold{{"2001:db8:0:1::1", 20, true}, {"2001:db8:0:2::1", 10, false}, {"2001:db8:0:3::1", 25, false}, {"192.0.2.2", 40, false}}},
		"Most":    {"many networks of one site are one", Share{All: 100, Site: 100, Network: 100}, []hold{{"192.0.2.2", 40, false}, {"2001:db8:0:1::1", 25, true}, {"2001:db8:0:2::1", 20, false}, {"192.0.2.3", 20, false}}},
		"Kept":    {"strangers leave what is kept", Share{All: 100, Site: 100, Network: 100, Kept: 50}, []hold{{"198.51.100.1", 45, false}, {"192.0.2.1", 30, true}, {"192.0.2.2", 20, false}, {"192.0.2.3", 10, false}}},
		"Known":   {"who is known has what strangers do not need", Share{All: 100, Site: 100, Network: 100, Kept: 20}, []hold{{"198.51.100.1", 90, false}, {"192.0.2.1", 10, false}}},
		"Beyond":  {"beyond what is kept they are as all are", Share{All: 100, Site: 100, Network: 100, Kept: 20}, []hold{{"198.51.100.1", 90, true}, {"192.0.2.1", 20, false}}},
		"Large":   {"what is larger than all has all", Share{All: 100, Site: 50, Network: 50}, []hold{{"192.0.2.1", 10, true}, {"192.0.2.2", 500, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			known := NewKnown()
			known.Add("198.51.100.1")
			h := NewHolders(c.share, known)
			var all []*Holding
			var gone []*bool
			for _, one := range c.holds {
				o, dropped := held(h, one.from, one.much)
				all, gone = append(all, o), append(gone, dropped)
			}
			for i, one := range c.holds {
				if *gone[i] != one.gone {
					t.Errorf("%s: of %s %d were dropped: %v", c.reason, one.from, one.much, *gone[i])
				}
			}
			for _, o := range all {
				o.Leave()
				o.Leave()
			}
			if h.Held() != 0 || h.strangers != 0 || len(h.sites) != 0 {
				t.Errorf("%d are held at the end, %d of strangers, of %d sites", h.Held(), h.strangers, len(h.sites))
			}
		})
	}
}

// Who came in since they took something is known by now.
func TestHoldersAreKnownByNow(t *testing.T) {
	known := NewKnown()
	h := NewHolders(Share{All: 10, Site: 10, Network: 10, Kept: 5}, known)
	_, early := held(h, "198.51.100.1", 4)
	known.Add("198.51.100.1")
	for n := range 8 {
		held(h, fmt.Sprintf("192.0.2.%d", n+1), 1)
	}
	if *early || h.strangers > 5 || h.Held() > 10 {
		t.Errorf("who came in lost what they had: %v; strangers have %d of %d", *early, h.strangers, h.Held())
	}
}
