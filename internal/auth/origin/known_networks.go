package origin

import (
	"slices"
	"sync"

	"github.com/causeway-gitops/causeway/internal/cache"
)

// Bounds of what is remembered of networks.
const (
	// remembered is what all of them take, in bytes; perGroup and perNetwork are what a site or a name takes, and
	// each of its networks.
	remembered           = 1 << 20
	perGroup, perNetwork = 256, 64
	// ofGroup is how many networks of one site, or of one name, are remembered: who signs in from all that they have
	// makes nobody else's forgotten.
	ofGroup = 32
)

// Known are networks from which somebody has proven who they are, as long as the engine runs; those of the sites or
// names used last, where they are too many. A nil one knows none. It is safe for concurrent use.
type Known struct {
	mu     sync.Mutex
	groups *cache.LRU[string, []string]
}

// NewKnown makes one that knows none yet.
func NewKnown() *Known { return &Known{groups: cache.New[string, []string](remembered)} }

// Add remembers that somebody came in from an address.
func (k *Known) Add(address string) { k.AddAs(Site(address), address) }

// Has reports whether somebody came in from the network of an address.
func (k *Known) Has(address string) bool { return k.HasAs(Site(address), address) }

// AddAs remembers that somebody of a name came in from an address. Who is known by names is not known by Add.
func (k *Known) AddAs(name, address string) {
	if k == nil {
		return
	}
	network := Network(address)
	k.mu.Lock()
	defer k.mu.Unlock()
	all, _ := k.groups.Get(name)
	if len(all) > 0 && all[0] == network {
		return
	}
	next := []string{network}
	for _, n := range all {
		if n != network && len(next) < ofGroup {
			next = append(next, n)
		}
	}
	k.groups.Put(name, next, int64(perGroup+len(name)+perNetwork*len(next)))
}

// HasAs reports whether somebody of a name came in from the network of an address.
func (k *Known) HasAs(name, address string) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all, _ := k.groups.Get(name)
	return slices.Contains(all, Network(address))
}
