package generate

import (
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mostListed bounds what a Git host lists for one generator in all, in bytes.
const mostListed = 64 << 20

// listed is what a Git host has listed for one generator. It counts each answer as
// it arrives: many are under way at a time, and those of all repositories are kept
// until the last one is there. It is safe for concurrent use.
type listed struct {
	// of names the generator, and fix is how it asks for less.
	of, fix string
	bytes   atomic.Int64
}

func (l *listed) take(answer any) error {
	w := bounded.Weigh(answer)
	if l.bytes.Add(w.Texts+w.Parts) <= mostListed {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "what the Git host lists for the %s generator takes more than %d MiB", l.of, mostListed>>20).Do(l.fix)
}
