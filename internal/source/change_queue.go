package source

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// news keeps changes until somebody reads them; changes of one repository
// and revision are joined.
type news struct {
	out chan gitops.RepoChange

	mu      sync.Mutex
	order   []string
	pending map[string]gitops.RepoChange
	more    chan struct{}
}

func newNews() *news {
	return &news{out: make(chan gitops.RepoChange), pending: map[string]gitops.RepoChange{}, more: make(chan struct{}, 1)}
}

func (n *news) add(repo string, c gitops.RepoChange) {
	if len(c.Repos) == 0 {
		return // nobody uses it
	}
	key := repo + "\x00" + strings.Join(c.Revisions, "\x00")
	n.mu.Lock()
	known, ok := n.pending[key]
	if !ok {
		n.order = append(n.order, key)
	}
	known.Repos = append(known.Repos, c.Repos...)
	slices.Sort(known.Repos)
	known.Repos = slices.Compact(known.Repos)
	known.Revisions = c.Revisions
	n.pending[key] = known
	n.mu.Unlock()
	select {
	case n.more <- struct{}{}:
	default:
	}
}

func (n *news) next() (gitops.RepoChange, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.order) == 0 {
		return gitops.RepoChange{}, false
	}
	key := n.order[0]
	n.order = n.order[1:]
	c := n.pending[key]
	delete(n.pending, key)
	return c, true
}

// deliver hands changes on until the context ends.
func (n *news) deliver(ctx context.Context) error {
	for {
		c, ok := n.next()
		if !ok {
			select {
			case <-ctx.Done():
				return nil
			case <-n.more:
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case n.out <- c:
		}
	}
}
