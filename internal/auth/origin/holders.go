package origin

import "container/list"

// Holders share something that is taken from who has the most of it, where it is
// too much: by sites, and in a site by networks. What is kept of it, only known
// networks hold. They are not safe for concurrent use.
type Holders struct {
	share Share
	known *Known

	all, strangers int64
	sites          map[string]*holdingSite
}

type holdingSite struct {
	all, strangers int64
	networks       map[string]*holdingNetwork
}

type holdingNetwork struct {
	name, address string
	site          string
	known         bool
	held          int64
	// holdings are first those that were longest without taking anything.
	holdings *list.List // of *Holding
}

// Holding is what one connection, or one answer, has of it.
type Holding struct {
	holders *Holders
	of      *holdingNetwork
	held    int64
	at      *list.Element
	drop    func()
}

// NewHolders makes holders of nothing. Known may be nil.
func NewHolders(share Share, known *Known) *Holders {
	return &Holders{share: share, known: known, sites: map[string]*holdingSite{}}
}

// Join adds one that holds nothing, from an address. Drop ends it.
func (h *Holders) Join(address string, drop func()) *Holding {
	n := h.network(address)
	one := &Holding{holders: h, of: n, drop: drop}
	one.at = n.holdings.PushBack(one)
	return one
}

// Held is what all of them hold.
func (h *Holders) Held() int64 { return h.all }

func (h *Holders) network(address string) *holdingNetwork {
	name, at := Network(address), Site(address)
	s := h.sites[at]
	if s == nil {
		s = &holdingSite{networks: map[string]*holdingNetwork{}}
		h.sites[at] = s
	}
	n := s.networks[name]
	if n == nil {
		n = &holdingNetwork{name: name, address: address, site: at, holdings: list.New()}
		s.networks[name] = n
	}
	h.know(n)
	return n
}

// know looks whether a network is known by now.
func (h *Holders) know(n *holdingNetwork) (changed bool) {
	known := h.known.Has(n.address)
	if known == n.known {
		return false
	}
	held := n.held
	h.count(n, -held)
	n.known = known
	h.count(n, held)
	return true
}

func (h *Holders) count(n *holdingNetwork, more int64) {
	s := h.sites[n.site]
	n.held += more
	s.all += more
	h.all += more
	if !n.known {
		s.strangers += more
		h.strangers += more
	}
}

// Held is what it holds.
func (o *Holding) Held() int64 { return o.held }

// Near reports whether another one is of the same network.
func (o *Holding) Near(other *Holding) bool { return o.of == other.of }

// Take has it hold so much more.
func (o *Holding) Take(more int64) {
	o.of.holdings.MoveToBack(o.at)
	o.Give(-more)
}

// Give has it hold so much less.
func (o *Holding) Give(less int64) {
	o.held -= less
	o.holders.count(o.of, -less)
}

// Drop ends it: it holds nothing any more.
func (o *Holding) Drop() {
	o.Give(o.held)
	o.drop()
}

// Leave takes it off. It may have left before.
func (o *Holding) Leave() {
	if o.at == nil {
		return
	}
	o.Give(o.held)
	o.of.holdings.Remove(o.at)
	o.at = nil
	if o.of.holdings.Len() > 0 {
		return
	}
	s := o.holders.sites[o.of.site]
	if delete(s.networks, o.of.name); len(s.networks) == 0 {
		delete(o.holders.sites, o.of.site)
	}
}

// Room reports whether all that is held fits, with what one took just now. Where
// it does not, gives is the one that has to give way to it: nil where none does.
func (h *Holders) Room(one *Holding) (gives *Holding, fits bool) {
	for {
		gives, fits = h.room(one)
		if gives == nil || !h.know(gives.of) {
			return gives, fits
		}
	}
}

func (h *Holders) room(one *Holding) (gives *Holding, fits bool) {
	n, fits := one.of, true
	s := h.sites[n.site]
	for _, bound := range []struct {
		over bool
		most func() *Holding
	}{
		{n.held > int64(h.share.Network), func() *Holding { return n.oldest(one) }},
		{s.all > int64(h.share.Site), func() *Holding { return s.most(one, false) }},
		{!n.known && h.strangers > int64(h.share.All-h.share.Kept), func() *Holding { return h.most(one, true) }},
		{h.all > int64(h.share.All), func() *Holding { return h.most(one, false) }},
	} {
		if !bound.over {
			continue
		}
		fits = false
		if gives = bound.most(); gives != nil {
			break
		}
	}
	return gives, fits
}

// most is the oldest holding of the site that has the most, but for one.
func (h *Holders) most(but *Holding, strangers bool) (found *Holding) {
	var held int64
	for _, s := range h.sites {
		has := s.all
		if strangers {
			has = s.strangers
		}
		if has < held || has == held && found != nil && found.of.site != but.of.site {
			continue
		}
		if old := s.most(but, strangers); old != nil {
			held, found = has, old
		}
	}
	return found
}

// most is the oldest holding of the network of a site that has the most, but for
// one. Of those that have as much, its own is the last to lose something.
func (s *holdingSite) most(but *Holding, strangers bool) (found *Holding) {
	var held int64
	for _, n := range s.networks {
		if strangers && n.known || n.held < held || n.held == held && found != nil && found.of != but.of {
			continue
		}
		if old := n.oldest(but); old != nil {
			held, found = n.held, old
		}
	}
	return found
}

// oldest is the holding that took nothing for the longest time of those that
// have something, but for one; nil for none.
func (n *holdingNetwork) oldest(but *Holding) *Holding {
	for e := n.holdings.Front(); e != nil; e = e.Next() {
		if one, _ := e.Value.(*Holding); one != but && one.held > 0 {
			return one
		}
	}
	return nil
}
