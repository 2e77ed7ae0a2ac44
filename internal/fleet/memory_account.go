package fleet

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// usualKinds is what the kinds of all clusters take at most where nobody says
	// otherwise, in bytes: that of some 1,000 clusters with 500 kinds each, which
	// are more than most fleets have.
	usualKinds = 256 << 20
	// shares are the parts of it. An owner has one for sure while others leave it,
	// and takes more while one stays free for them.
	shares = 4
	// perMapping is what a kind in one version takes beside its texts, in bytes:
	// its mapping, and its places in three tables and a list.
	perMapping = 400
)

// takes is what a mapping takes in a catalog, in bytes. The name of its group is
// in as many texts as there are of it.
func takes(m *meta.RESTMapping) int64 {
	const ofName, ofGroup = 2, 3
	return perMapping + int64(ofName*(len(m.Resource.Resource)+len(m.GroupVersionKind.Kind))+ofGroup*(len(m.Resource.Group)+len(m.Resource.Version)))
}

// account is the memory that the kinds of all clusters have together. However
// many clusters one owner brings, others find room: beyond a share it takes
// nothing of the last one that is free. What only who runs the engine describes is
// nobody's, and goes by what all have alone. It is safe for concurrent use.
type account struct {
	all, share int64 // bytes

	mu   sync.Mutex
	held int64
	of   map[string]int64 // by owner
	by   map[*Cluster]stake
}

// stake is what a cluster has of an account.
type stake struct {
	owner string
	bytes int64
}

func newAccount(all int64) *account {
	return &account{all: all, share: all / shares, of: map[string]int64{}, by: map[*Cluster]stake{}}
}

// whose says in words whose a cluster is: its project's, or of those who write
// kubeconfigs in the namespace where it was found; empty where it is nobody's.
func whose(d gitops.Cluster) string {
	if d.Project != "" {
		return "of project " + d.Project
	}
	if d.Source == "" {
		return ""
	}
	namespace, _, _ := strings.Cut(d.Annotations[causeway.AnnotationFoundIn], "/")
	return "found in namespace " + namespace
}

// take has a cluster take so much in place of what it has; an error where that
// does not fit, and it has what it had.
func (a *account) take(c *Cluster, bytes int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.ctx.Err() != nil {
		return c.ctx.Err() // it has left, or is about to
	}
	owner, more := whose(c.Desc()), bytes-a.by[c].bytes
	switch {
	case more <= 0:
	case owner != "" && a.of[owner]+more > a.share && a.held+more > a.all-a.share:
		return &crowded{bytes: bytes, owner: owner, most: a.share, free: a.share}
	case a.held+more > a.all:
		return &crowded{bytes: bytes, most: a.all}
	}
	a.put(c, stake{owner, bytes})
	return nil
}

// hand leaves the room of a cluster to the one that comes in its place: else
// others might take it before that one has told what it serves.
func (a *account) hand(from, to *Cluster) {
	a.mu.Lock()
	defer a.mu.Unlock()
	has := a.by[from]
	a.put(from, stake{})
	a.put(to, stake{whose(to.Desc()), has.bytes})
}

// move has what a cluster takes count for whose it is now.
func (a *account) move(c *Cluster) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if has, ok := a.by[c]; ok {
		a.put(c, stake{whose(c.Desc()), has.bytes})
	}
}

// leave gives back what a cluster has that has ended.
func (a *account) leave(c *Cluster) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(c, stake{})
}

// put replaces what a cluster has, which may be nothing; the lock is held.
func (a *account) put(c *Cluster, now stake) {
	before := a.by[c]
	a.held += now.bytes - before.bytes
	if a.of[before.owner] -= before.bytes; a.of[before.owner] == 0 {
		delete(a.of, before.owner)
	}
	if now.bytes == 0 {
		delete(a.by, c)
		return
	}
	a.of[now.owner] += now.bytes
	a.by[c] = now
}

// takeKinds has the account take what a look at the cluster has found.
func (c *Cluster) takeKinds(now *kinds) error {
	err := c.memory.take(c, now.bytes)
	if over := (*crowded)(nil); errors.As(err, &over) {
		over.cluster, over.kinds = c.Desc().Name, now.mapped
	}
	return err
}

// crowded is why the kinds of a cluster are not taken.
type crowded struct {
	cluster     string
	kinds       int
	bytes, most int64
	// owner has the clusters that have the most together, and more while so many
	// bytes stay free; empty where they are all that there are.
	owner string
	free  int64
}

// Error names the cluster, what it serves, and the bound.
func (e *crowded) Error() string {
	text := fmt.Sprintf("the kinds of cluster %s are not taken: it serves %d in all versions, for which %s of memory are missing: the kinds of all clusters",
		e.cluster, e.kinds, mebibytes(e.bytes))
	if e.owner == "" {
		return fmt.Sprintf("%s have %s together", text, mebibytes(e.most))
	}
	return fmt.Sprintf("%s %s have %s together, and more while %s stay free for others", text, e.owner, mebibytes(e.most), mebibytes(e.free))
}

// isCrowded reports whether kinds are not taken for want of room.
func isCrowded(err error) bool {
	over := (*crowded)(nil)
	return errors.As(err, &over)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

const uncrowd = "delete definitions that nobody needs from these clusters, or clusters; or give the engine more memory"
