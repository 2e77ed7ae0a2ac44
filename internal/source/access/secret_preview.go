package access

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Of is what a repository would be opened with if a Secret said this of it:
// its own credential, or else that of the template which covers it, with the
// trusted hosts. The repository itself need not be known. No template signs in
// for another one.
func (c *Credentials) Of(r Repository) Credential {
	found := r.own()
	at, err := address.Parse(r.URL)
	if err != nil {
		return found
	}
	if p := c.repositories.Load(); p != nil && !r.Template {
		if t := best(*p, r.Project, func(e entry) bool { return e.Template && e.covers(at.Canonical()) }); t != nil {
			found = r.inherit(t.own())
		}
	}
	return c.trusting(at, found)
}

// trusting adds what the ConfigMaps say of a host.
func (c *Credentials) trusting(at address.Address, cred Credential) Credential {
	t := c.trust.Load()
	if t == nil {
		return cred
	}
	cred.KnownHosts, cred.CA = t.KnownHosts, t.CAs[at.Hostname()]
	return cred
}

// Place is where a repository is, whatever way its address is written.
type Place struct {
	raw string
	at  address.Address
}

// PlaceOf takes an address apart; false where it is none.
func PlaceOf(repoURL string) (Place, bool) {
	at, err := address.Parse(repoURL)
	return Place{repoURL, at}, err == nil
}

// Key is the same for addresses of one repository.
func (p Place) Key() string {
	at := p.at.Canonical()
	at.Scheme = kind(at.Scheme)
	return at.String()
}

// Holds reports whether who reads another address reads the repository with this
// one, of a type of repository Secrets: in registries and behind indexes of
// charts there are many addresses below it.
func (p Place) Holds(kind string, other Place) bool {
	if other.Key() == p.Key() {
		return true
	}
	return (kind == "helm" || kind == "oci") && strings.HasPrefix(other.Key(), p.Key()+"/")
}

// Covers reports whether a template with this address is for another one.
func (p Place) Covers(other Place) bool {
	return entryOf(Repository{URL: p.raw}, p.at).covers(other.at.Canonical())
}
