package lookup

import (
	"context"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/applicationset"
	"github.com/causeway-gitops/causeway/internal/generate"
)

// Makeshift expands sets, and has one expanded once more that had to make do with
// answers of a host that are known to be old: no other event may tell of it. A
// look for another reason may come before, and takes the place of one that was
// rung for.
type Makeshift struct{ applicationset.Generator }

// soonest is how soon a set is expanded once more at the earliest.
const soonest = time.Second

// Applications implements applicationset.Generator.
func (m Makeshift) Applications(ctx context.Context, set *v1alpha1.ApplicationSet) (*generate.Expansion, error) {
	had := &madeDo{}
	out, err := m.Generator.Applications(context.WithValue(ctx, madeDoKey{}, had), set)
	until := had.until()
	if out == nil || until.IsZero() {
		return out, err
	}
	if wait := max(time.Until(until), soonest); out.Reads.Again == 0 || wait < out.Reads.Again {
		out.Reads.Again = wait
	}
	return out, err
}

type madeDoKey struct{}

// madeDo is with what an expansion makes do. It is safe for concurrent use.
type madeDo struct {
	mu sync.Mutex
	// first is when the first host may be asked; zero: none is waited for.
	first time.Time
}

// makeDo notes that an expansion has old answers until a time.
func makeDo(ctx context.Context, until time.Time) {
	if had, ok := ctx.Value(madeDoKey{}).(*madeDo); ok {
		had.note(until)
	}
}

func (m *madeDo) note(until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first.IsZero() || until.Before(m.first) {
		m.first = until
	}
}

func (m *madeDo) until() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first
}
