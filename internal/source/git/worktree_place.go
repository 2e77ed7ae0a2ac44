package git

import (
	"context"
	"os"
	"sync"
)

// Shared is the place of the repository that a folder belongs to, if it has
// the checkout's own objects and branches: its .git, or one of its work trees.
// What cannot be opened is none; whoever reads the folder tells why.
func (k *Checkout) Shared(ctx context.Context, folder string) (Place, bool) {
	return k.places.of(folder, func() (Place, bool) {
		p, err := k.command.find(ctx, folder)
		return p, err == nil && sameFolder(p.Common, k.Common)
	})
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// places are answers about folders, which a look asks for again and again.
type places struct {
	mu    sync.Mutex
	known map[string]found
}

type found struct {
	place  Place
	shared bool
}

func (p *places) of(folder string, look func() (Place, bool)) (Place, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok := p.known[folder]
	if !ok {
		f.place, f.shared = look()
		if p.known == nil {
			p.known = map[string]found{}
		}
		p.known[folder] = f
	}
	return f.place, f.shared
}
