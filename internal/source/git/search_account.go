package git

import (
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What one account may have looked through in a repository's references: lines
// within a time. That is some ten seconds of a processor, and more than
// hundreds of revisions of the largest repositories take. A version that is read
// counts for many lines.
const (
	searchedLines = 200_000_000
	searchedIn    = 2 * time.Minute
	versionCost   = 40
)

// ledger counts what is looked through in a repository's references, by
// account. It goes on where the server lists others: a server that does so at
// each look would have all its lines looked through anew.
type ledger struct {
	now func() time.Time

	mu    sync.Mutex
	since time.Time
	spent map[string]int
}

func newLedger(now func() time.Time) *ledger { return &ledger{now: now} }

// spend takes lines from an account; the error says that there are none left.
func (l *ledger) spend(account string, lines int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); l.spent == nil || now.Sub(l.since) >= searchedIn {
		l.since, l.spent = now, map[string]int{}
	}
	if l.spent[account] > searchedLines-lines {
		return gitops.Problemf(gitops.Unreachable, "the repository's references are not looked through any more for now: revisions that were asked for took %d million lines of them within %s", searchedLines/1_000_000, searchedIn).
			Do("wait, it is tried again; name fewer revisions of the repository, or whole commits, or delete branches and tags that nobody needs there")
	}
	l.spent[account] += lines
	return nil
}
