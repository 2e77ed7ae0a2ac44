package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Bounds of what a cluster is asked about the kinds of a tree.
const (
	// kindsAsked is how many kinds, each in a namespace, one look asks about. What
	// is beyond is not shown.
	kindsAsked  = 256
	kindsAtOnce = 8
	// kindsFor is how long an answer is believed, usually: a page asks for its tree
	// every 15 seconds, and a look that does not get to all goes on where the one
	// before it ended.
	kindsFor = 45 * time.Second
	// kindsKept is what all answers may take, and kindSize what one takes beside
	// its text, in bytes.
	kindsKept = 1 << 20
	kindSize  = 256
)

// kindRights remember for a moment which kinds clusters let people read.
type kindRights struct {
	known    *cache.LRU[[sha256.Size]byte, kindRight]
	now      func() time.Time
	believed time.Duration
}

// kindRight is an answer; why is Barred, or nil.
type kindRight struct {
	why   error
	until time.Time
}

func newKindRights(believed time.Duration) *kindRights {
	return &kindRights{cache.New[[sha256.Size]byte, kindRight](kindsKept), time.Now, cmp.Or(believed, kindsFor)}
}

// of is what was answered a moment ago, or is answered now. That a cluster could not
// be asked is not remembered.
func (k *kindRights) of(u *auth.User, cluster *fleet.Cluster, kind gitops.Key, ask func() error) error {
	key := rightKey(u, cluster, kind)
	if kept, ok := k.known.Get(key); ok && k.now().Before(kept.until) {
		return kept.why
	}
	why := ask()
	text := ""
	if why != nil {
		if text = why.Error(); !errors.As(why, &reach.Barred{}) {
			return why
		}
	}
	k.known.Put(key, kindRight{why, k.now().Add(k.believed)}, int64(kindSize+len(text)))
	return why
}

func rightKey(u *auth.User, cluster *fleet.Cluster, kind gitops.Key) [sha256.Size]byte {
	at := cluster.Desc()
	return sha256.Sum256(fmt.Appendf(nil, "%q", []any{u.Name, u.Groups, u.Extra, at.Server, at.Secret, kind.Group, kind.Kind, kind.Namespace}))
}

// recall tells what is believed of kinds, and which are to be asked about: first
// those of which nothing was ever known, then whose answer is the oldest. So each
// look learns more, also where a cluster is too slow to tell all in one.
func (k *kindRights) recall(u *auth.User, cluster *fleet.Cluster, kinds []gitops.Key) (known map[gitops.Key]error, open []gitops.Key) {
	known = make(map[gitops.Key]error, len(kinds))
	until := map[gitops.Key]time.Time{}
	for _, kind := range kinds {
		kept, _ := k.known.Get(rightKey(u, cluster, kind))
		if k.now().Before(kept.until) {
			known[kind] = kept.why
			continue
		}
		until[kind] = kept.until
		open = append(open, kind)
	}
	slices.SortStableFunc(open, func(a, b gitops.Key) int { return until[a].Compare(until[b]) })
	return known, open
}

// showsAll is shows for many objects at once: their kinds are asked about together,
// in the time that a cluster has to answer.
func (l looker) showsAll(ctx context.Context, cluster *fleet.Cluster, app *v1alpha1.Application, all []gitops.Key) func(gitops.Key) error {
	u, by := auth.From(ctx), accessTo(app, "applications", "get")
	if !l.byKubernetes(u, by) {
		return func(gitops.Key) error { return nil }
	}
	known, kinds := l.kinds.recall(u, cluster, kindsOf(all))
	answers := make([]error, min(len(kinds), kindsAsked))
	_, late := inTime(ctx, answerTime, cluster.Desc().Name, func(ctx context.Context) (struct{}, error) {
		var group crew.Group
		group.SetLimit(kindsAtOnce)
		for i := range answers {
			group.Go(func() error {
				// A panic is an answer, too: none would permit the kind.
				answers[i] = crew.Safely(func() error {
					return l.kinds.of(u, cluster, kinds[i], func() error { return l.barredKind(ctx, cluster, by, kinds[i]) })
				})
				return nil
			})
		}
		return struct{}{}, errors.Join(group.Wait(), ctx.Err())
	})
	for i, kind := range kinds {
		switch {
		case i >= len(answers):
			known[kind] = gitops.Problemf(gitops.Forbidden, "what there is of %s and other kinds is not shown: a cluster is asked about %d kinds and namespaces at once", kind.Kind, kindsAsked)
		case late != nil && answers[i] != nil && !errors.As(answers[i], &reach.Barred{}):
			known[kind] = late
		default:
			known[kind] = answers[i]
		}
	}
	return func(k gitops.Key) error {
		k.Name = ""
		why, asked := known[k]
		if !asked {
			return l.barredKind(ctx, cluster, by, k)
		}
		return why
	}
}

// kindsOf are the kinds of objects with their namespaces, each once.
func kindsOf(all []gitops.Key) []gitops.Key {
	var out []gitops.Key
	known := map[gitops.Key]bool{}
	for _, k := range all {
		k.Name = ""
		if !known[k] {
			known[k] = true
			out = append(out, k)
		}
	}
	return out
}

// hiddenKinds are why kinds are not shown, each said once.
type hiddenKinds []string

// mostHidden is how many of them are told.
const mostHidden = 4

func (h *hiddenKinds) add(why error) {
	if text := why.Error(); !slices.Contains(*h, text) {
		*h = append(*h, text)
	}
}

// String has a line for each.
func (h hiddenKinds) String() string {
	lines := slices.Clone(h[:min(len(h), mostHidden)])
	if more := len(h) - len(lines); more > 0 {
		lines = append(lines, gitops.Count(more, "more kind")+" of which the same holds")
	}
	return strings.Join(lines, "\n")
}
