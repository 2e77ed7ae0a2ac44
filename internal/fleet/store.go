package fleet

import (
	"slices"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// place is an object's key inside a store, which holds a single kind.
type place struct{ namespace, name string }

// mark is all that is kept of an object that no application manages: that it
// is there, since which revision, and in which list it was seen last.
type mark struct {
	revision uint64
	round    uint32
}

// entry is an object of an application, or one that an application desires.
type entry struct {
	live     *gitops.Live
	revision uint64
	round    uint32
	// app is whose changes these are: the tracking id's, or the last one's
	// that had the object.
	app string
	at  int // in the application's list
}

// store keeps what is known of the objects of one kind. Each gitops.Live in
// it is replaced, never changed, so that readers may keep it.
type store struct {
	gvk     schema.GroupVersionKind
	convert func(*unstructured.Unstructured) *gitops.Live
	tell    func(app string, key gitops.Key)
	onGone  func()

	mu      sync.RWMutex
	entries map[place]*entry
	marks   map[place]mark
	apps    map[string][]*entry
	desires desires
	round   uint32
	// heeds tells whose every change is told, whoever manages it.
	heeds heeds
	// newest is the newest revision that the watch has passed.
	newest uint64
	// synced is false until the first list is complete: what it holds is no change.
	synced bool
}

func newStore(gvk schema.GroupVersionKind, convert func(*unstructured.Unstructured) *gitops.Live, tell func(string, gitops.Key), onGone func()) *store {
	return &store{
		gvk: gvk, convert: convert, tell: tell, onGone: onGone,
		entries: map[place]*entry{}, marks: map[place]mark{}, apps: map[string][]*entry{}, desires: newDesires(),
	}
}

func (s *store) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round++
}

func (s *store) page(o metav1.Object) { s.upsert(o) }

// end removes what the list did not have, unless it is newer than the list.
func (s *store) end(resourceVersion string) {
	lost := s.ended(revisionOf(resourceVersion))
	s.heedAll()
	for _, n := range lost {
		s.tellAll(n.apps, n.key)
	}
}

func (s *store) ended(revision uint64) (lost []news) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, e := range s.entries {
		if e.round != s.round && e.revision <= revision {
			lost = append(lost, news{e.live.Key, s.drop(p, e)})
		}
	}
	for p, m := range s.marks {
		if m.round != s.round && m.revision <= revision {
			delete(s.marks, p)
		}
	}
	s.newest = max(s.newest, revision)
	s.synced = true
	return lost
}

func (s *store) event(t watch.EventType, o metav1.Object) {
	if t == watch.Deleted {
		s.remove(o)
		return
	}
	if s.knows(o) {
		s.heed(placeOf(o))
		return
	}
	s.upsert(o)
}

// knows reports whether an object is in the store at its revision or a newer
// one: most events are of what the engine has written itself, and the answers
// to its requests came before them.
func (s *store) knows(o metav1.Object) bool {
	p, revision := placeOf(o), revisionOf(o.GetResourceVersion())
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[p]
	if e == nil || revision == 0 || e.revision < revision {
		return false
	}
	s.newest = max(s.newest, revision)
	return true
}

func (s *store) gone() {
	lost := s.emptied()
	s.onGone()
	s.heedAll()
	for _, n := range lost {
		s.tellAll(n.apps, n.key)
	}
}

func (s *store) emptied() []news {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := make([]news, 0, len(s.entries))
	for p, e := range s.entries {
		lost = append(lost, news{e.live.Key, s.concerned(p, e)})
	}
	s.entries, s.marks, s.apps = map[place]*entry{}, map[place]mark{}, map[string][]*entry{}
	return lost
}

// upsert takes an object as the watch has it. Only objects of applications
// are converted.
func (s *store) upsert(o metav1.Object) {
	p, revision := placeOf(o), revisionOf(o.GetResourceVersion())
	app := ownerOf(trackingOf(o), s.gvk, p)
	if app == "" && !s.has(p) {
		s.mark(p, revision)
		s.heed(p)
		return
	}
	object := whole(o)
	if object == nil {
		return
	}
	defer s.heed(p)
	live := s.trim(s.convert(object))
	// It may not be this installation's, whatever its tracking id says.
	if app = ownerOf(live.Tracking, s.gvk, p); app == "" && !s.has(p) {
		s.mark(p, revision)
		return
	}
	if s.follows(p) {
		live.Content = gitops.ContentOf(object)
	}
	s.tellAll(s.taken(p, live, app, revision), live.Key)
}

// taken is whom to tell of an object: of the first list nobody.
func (s *store) taken(p place, live *gitops.Live, app string, revision uint64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = max(s.newest, revision)
	changed := s.put(p, live, app, revision)
	if !s.synced {
		return nil
	}
	return changed
}

// mark notes an object that no application manages.
func (s *store) mark(p place, revision uint64) {
	s.tellAll(s.marked(p, revision), gitops.Key{Group: s.gvk.Group, Kind: s.gvk.Kind, Namespace: p.namespace, Name: p.name})
}

func (s *store) marked(p place, revision uint64) (desired []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks[p] = mark{revision: revision, round: s.round}
	s.newest = max(s.newest, revision)
	return s.desires.take(p)
}

// has reports whether a place has an entry.
func (s *store) has(p place) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.entries[p] != nil
}

// put stores a live object unless a newer one is there, and returns the
// applications to which the difference matters.
func (s *store) put(p place, live *gitops.Live, app string, revision uint64) (changed []string) {
	e := s.entries[p]
	if e == nil {
		e = &entry{live: live, revision: revision, round: s.round, app: app}
		delete(s.marks, p)
		s.entries[p] = e
		s.list(e)
		return s.concerned(p, e)
	}
	e.round = s.round
	if e.revision > revision && revision != 0 {
		return nil
	}
	if e.revision == revision && revision != 0 && e.live.Tracking == live.Tracking {
		return s.reassess(p, e, live)
	}
	moved := app != "" && app != e.app
	if moved || matters(e.live, live) {
		changed = s.concerned(p, e)
	}
	e.live, e.revision = live, revision
	if moved {
		changed = append(changed, app)
		s.unlist(e)
		e.app = app
		s.list(e)
	}
	return changed
}

// reassess takes an object that did not change, for what is thought of it may
// have: see Fleet.Reassess.
func (s *store) reassess(p place, e *entry, live *gitops.Live) (changed []string) {
	if e.live.Health == live.Health {
		return nil
	}
	if matters(e.live, live) {
		changed = s.concerned(p, e)
	}
	e.live = live
	return changed
}

// accept takes a live object that a request returned, as far as the watch has
// not passed it: then what the watch knows is newer. Whose request it was has
// seen the answer. The others are told here: the event that follows brings
// nothing new.
func (s *store) accept(live *gitops.Live, app string) {
	p, revision := place{live.Key.Namespace, live.Key.Name}, revisionOf(live.ResourceVersion)
	owner := orElse(ownerOf(live.Tracking, s.gvk, p), app)
	s.mu.Lock()
	var changed []string
	if !s.passed(p, revision) {
		changed = s.put(p, live, owner, revision)
	}
	s.mu.Unlock()
	s.tellAll(slices.DeleteFunc(changed, func(app string) bool { return app == owner }), live.Key)
}

// passed reports whether the watch has seen a place at a revision or after it.
func (s *store) passed(p place, revision uint64) bool {
	if e := s.entries[p]; e != nil {
		return revision != 0 && e.revision >= revision
	}
	m, marked := s.marks[p]
	if marked && m.revision <= revision {
		return false
	}
	return revision <= s.newest
}

func (s *store) remove(o metav1.Object) {
	p, revision := placeOf(o), revisionOf(o.GetResourceVersion())
	defer s.heed(p)
	if lost := s.removed(p, revision); lost != nil {
		s.tellAll(lost.apps, lost.key)
	}
}

func (s *store) removed(p place, revision uint64) *news {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = max(s.newest, revision)
	delete(s.marks, p)
	e := s.entries[p]
	if e == nil || e.revision > revision && revision != 0 {
		return nil
	}
	return &news{e.live.Key, s.drop(p, e)}
}

// news is a change and whom to tell.
type news struct {
	key  gitops.Key
	apps []string
}

func (s *store) tellAll(apps []string, key gitops.Key) {
	for _, app := range apps {
		if app != "" {
			s.tell(app, key)
		}
	}
}

// drop removes an entry and returns whom that concerns.
func (s *store) drop(p place, e *entry) []string {
	delete(s.entries, p)
	s.unlist(e)
	return s.concerned(p, e)
}

// concerned are the applications to tell of a change of an entry.
func (s *store) concerned(p place, e *entry) []string {
	apps := s.desires.take(p)
	if slices.Contains(apps, e.app) {
		return apps
	}
	return append(apps, e.app)
}

func (s *store) list(e *entry) {
	if e.app == "" {
		return
	}
	e.at = len(s.apps[e.app])
	s.apps[e.app] = append(s.apps[e.app], e)
}

func (s *store) unlist(e *entry) {
	all := s.apps[e.app]
	if e.app == "" || len(all) == 0 {
		return
	}
	last := all[len(all)-1]
	last.at, all[e.at] = e.at, last
	all[len(all)-1] = nil
	if all = all[:len(all)-1]; len(all) == 0 {
		delete(s.apps, e.app)
		return
	}
	s.apps[e.app] = all
}

// of calls f for each object that carries an application's tracking name.
func (s *store) of(app string, f func(*gitops.Live)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.apps[app] {
		if ownerOf(e.live.Tracking, s.gvk, place{e.live.Key.Namespace, e.live.Key.Name}) == app {
			f(e.live)
		}
	}
}

func (s *store) size() (entries, marks int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.entries), len(s.marks)
}

// trim lets all objects of the kind share its names.
func (s *store) trim(l *gitops.Live) *gitops.Live {
	l.Version = s.gvk
	l.Key.Group, l.Key.Kind = s.gvk.Group, s.gvk.Kind
	return l
}

func placeOf(o metav1.Object) place { return place{o.GetNamespace(), o.GetName()} }

// revisionOf reads a resource version as the number that it is in every API
// server of Kubernetes; 0 for others, which are then taken as newer.
func revisionOf(resourceVersion string) uint64 {
	n, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// ownerOf returns the application in an object's own tracking id; empty for none.
func ownerOf(tracking string, gvk schema.GroupVersionKind, p place) string {
	if tracking == "" {
		return ""
	}
	app, _ := gitops.TrackedBy(tracking, gitops.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: p.namespace, Name: p.name})
	return app
}

// matters reports whether an application has to look at a change. The message
// of a health counts only where a person acts on it: rollouts count their
// replicas in it.
func matters(a, b *gitops.Live) bool {
	if a.UID != b.UID || a.Fingerprint != b.Fingerprint || a.Content != b.Content || a.Deleting != b.Deleting ||
		a.Tracking != b.Tracking || a.Foreign != b.Foreign || a.Health.Code != b.Health.Code {
		return true
	}
	quiet := b.Health.Code == gitops.Healthy || b.Health.Code == gitops.Progressing
	return !quiet && a.Health.Message != b.Health.Message
}
