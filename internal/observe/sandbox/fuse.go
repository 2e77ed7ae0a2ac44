package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How many runs of a program may reach a limit: at one object, and at all of a
// namespace, or of an application where objects are in no namespace. Each is given back after a while, one after the other.
const (
	ofObject      = 3
	objectBack    = 10 * time.Minute
	ofNamespace   = 10
	namespaceBack = time.Minute
)

// Bounds of what is remembered, in bytes: altogether, and what an entry takes.
const (
	fuseBytes      = 4 << 20
	fuseEntryBytes = 400
)

var (
	errObject = fmt.Errorf("it reached a limit at this object again and again; it is run once the object is smaller, or after %s", objectBack)
	// Only what reached a limit is counted, so that a namespace is not limited for being large.
	errNamespace = fmt.Errorf("it reached a limit at many objects of this namespace, for which it is run again after %s", namespaceBack)
	errApp       = fmt.Errorf("it reached a limit at many objects of this kind and application, which are in no namespace; for these it is run again after %s", namespaceBack)
)

// Subject is the object that a program is run for.
type Subject struct {
	// Server is the cluster that has the object; empty for one in a file.
	Server string
	// Object is the object itself.
	Object map[string]any
}

// fuses keep a program that takes too long at some objects from taking that
// time again and again. What has caused it bears it: that object, and then the
// objects of its namespace in its cluster. Those that are in no namespace are of
// all teams: there it is those of its kind that bear the mark of its application.
// All others are as before.
type fuses struct {
	now func() time.Time

	// any tells that a limit was reached at all, which it hardly ever is.
	any atomic.Bool

	mu   sync.Mutex
	kept *cache.LRU[[sha256.Size]byte, *fuse]
}

// fuse counts the runs that reached a limit.
type fuse struct {
	left *rate.Limiter
	// weight is that of the object which reached one last.
	weight int
}

// remembered are the fuses of all programs: one that is read anew is the same.
var remembered = newFuses(time.Now)

func newFuses(now func() time.Time) *fuses {
	return &fuses{now: now, kept: cache.New[[sha256.Size]byte, *fuse](fuseBytes)}
}

// blown is why a program is not run for an object now.
func (f *fuses) blown(program string, s Subject) error {
	if !f.any.Load() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	object, ok := f.kept.Get(s.key(program))
	if ok && object.left.TokensAt(f.now()) < 1 && weigh(s.Object) >= object.weight {
		return fmt.Errorf("%w: %w", ErrLimit, errObject)
	}
	key, why := s.beside(program)
	beside, ok := f.kept.Get(key)
	if ok && beside.left.TokensAt(f.now()) < 1 {
		return fmt.Errorf("%w: %w", ErrLimit, why)
	}
	return nil
}

// after takes how a run ended. That it took too long on a machine that has
// other work does not count.
func (f *fuses) after(program string, s Subject, err error) {
	if !errors.Is(err, errBudget) {
		return
	}
	f.any.Store(true)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.strike(s.key(program), objectBack, ofObject).weight = weigh(s.Object)
	beside, _ := s.beside(program)
	f.strike(beside, namespaceBack, ofNamespace)
}

func (f *fuses) strike(key [sha256.Size]byte, back time.Duration, most int) *fuse {
	one, ok := f.kept.Get(key)
	if !ok {
		one = &fuse{left: rate.NewLimiter(rate.Every(back), most)}
		f.kept.Put(key, one, fuseEntryBytes)
	}
	one.left.AllowN(f.now(), 1)
	return one
}

// key is that of the object: its uid, or what it is called where it has none.
func (s Subject) key(program string) [sha256.Size]byte {
	meta, _ := s.Object["metadata"].(map[string]any)
	if uid, _ := meta["uid"].(string); uid != "" {
		return digestOf("uid", program, s.Server, text(meta["namespace"]), uid)
	}
	return digestOf("name", program, s.Server, text(meta["namespace"]), text(s.Object["kind"]), text(meta["name"]))
}

// beside is the key of the objects that bear it together with this one, and why
// the program is not run for them.
func (s Subject) beside(program string) ([sha256.Size]byte, error) {
	meta, _ := s.Object["metadata"].(map[string]any)
	if namespace := text(meta["namespace"]); namespace != "" {
		return digestOf("namespace", program, s.Server, namespace), errNamespace
	}
	annotations, _ := meta["annotations"].(map[string]any)
	app, _, ok := gitops.ParseTrackingID(text(annotations[gitops.AnnotationTracking]))
	if !ok {
		labels, _ := meta["labels"].(map[string]any)
		app = text(labels[gitops.LabelInstance])
	}
	return digestOf("application", program, s.Server, text(s.Object["kind"]), app), errApp
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// digestOf has one length, whatever a cluster calls its objects.
func digestOf(texts ...string) [sha256.Size]byte {
	h := sha256.New()
	for _, s := range texts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// weigh counts the values of an object.
func weigh(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += weigh(item)
		}
	case []any:
		for _, item := range v {
			n += weigh(item)
		}
	}
	return n
}
