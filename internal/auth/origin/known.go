package origin

import (
	"slices"
	"sync"

	"github.com/causeway-gitops/causeway/internal/cache"
)

// Bounds of what is remembered of networks.
const (
	// remembered is what all of them take, in bytes, and perSite what one site takes with its networks.
	remembered = 1 << 20
	perSite    = 1 << 10
	// ofSite is how many networks of one site are remembered: who signs in from all of theirs makes nobody else's
	// forgotten.
	ofSite = 16
)

// Known are networks from which somebody has proven who they are, as long as the engine runs; those used last, where
// they are too many. A nil one knows none. It is safe for concurrent use.
type Known struct {
	mu    sync.Mutex
	sites *cache.LRU[string, []string]
}

// NewKnown makes one that knows none yet.
func NewKnown() *Known { return &Known{sites: cache.New[string, []string](remembered)} }

// Add remembers that somebody came in from an address.
func (k *Known) Add(address string) {
	if k == nil {
		return
	}
	network, site := Network(address), Site(address)
	k.mu.Lock()
	defer k.mu.Unlock()
	all, _ := k.sites.Get(site)
	if slices.Contains(all, network) {
		return
	}
	next := append([]string{network}, all[:min(len(all), ofSite-1)]...)
	k.sites.Put(site, next, perSite)
}

// Has tells whether somebody came in from the network of an address.
func (k *Known) Has(address string) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all, _ := k.sites.Get(Site(address))
	return slices.Contains(all, Network(address))
}
