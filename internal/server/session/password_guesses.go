package session

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

// Limits of guesses: passwords are guessed by trying. Strangers must neither
// guess fast from many networks, nor keep out whose name they know, so a name
// has two accounts: one for networks that have hardly failed with it, and one
// for all others together. A network that a name has signed in from needs none.
const (
	// Of one network, whatever the names.
	triesEvery = 2 * time.Second
	triesBurst = 10
	// Of one name, from all networks that have hardly failed with it, and from
	// all others.
	nameEvery  = 2 * time.Second
	freshBurst = 30
	nameBurst  = 10
	// Of one name from one network, and from one site that has many of them,
	// until it is one of the others.
	failsEvery = time.Hour
	failsBurst = 3
	siteEvery  = 15 * time.Minute
	siteBurst  = 12
)

// guesses decide who may try a password.
type guesses struct {
	networks, fresh, names *Tries
	fails, sites           *Tries
	trusted                *origin.Known
}

// place is from where somebody of a name comes.
type place struct{ name, network string }

func newGuesses() *guesses {
	return &guesses{
		networks: NewTries(rate.Every(triesEvery), triesBurst),
		fresh:    NewTries(rate.Every(nameEvery), freshBurst), names: NewTries(rate.Every(nameEvery), nameBurst),
		fails: NewTries(rate.Every(failsEvery), failsBurst), sites: NewTries(rate.Every(siteEvery), siteBurst),
		trusted: origin.NewKnown(),
	}
}

// begin takes a try of a name from an address. Right is called where the
// password was right: what counts guesses is given back then.
func (g *guesses) begin(address, name string) (right func(), err error) {
	at := place{name, origin.Network(address)}
	if err := g.networks.Take(at.network); err != nil {
		return nil, err
	}
	known := func() { g.trusted.AddAs(name, address) }
	if g.trusted.HasAs(name, address) {
		return known, nil
	}
	back, ok := g.takeFresh(at, origin.Site(address))
	if !ok {
		if err := g.names.Take(name); err != nil {
			return nil, err
		}
		back = func() { g.names.Give(name) }
	}
	return func() { back(); known() }, nil
}

// takeFresh takes a try of those that a name has for networks which have hardly
// failed with it.
func (g *guesses) takeFresh(at place, site string) (back func(), ok bool) {
	pair, wide := at.network+" "+at.name, site+" "+at.name
	if g.fails.Take(pair) != nil {
		return nil, false
	}
	if g.sites.Take(wide) != nil {
		g.fails.Give(pair)
		return nil, false
	}
	if g.fresh.Take(at.name) != nil {
		g.fails.Give(pair)
		g.sites.Give(wide)
		return nil, false
	}
	return func() {
		g.fails.Give(pair)
		g.sites.Give(wide)
		g.fresh.Give(at.name)
	}, true
}
