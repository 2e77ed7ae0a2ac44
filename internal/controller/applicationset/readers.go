package applicationset

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Readers knows what each set read when it was last expanded, and so which
// sets a change concerns. It is safe for concurrent use.
type Readers struct {
	mu     sync.RWMutex
	sets   map[types.NamespacedName]reads
	echoes echoes
}

type reads struct {
	generate.Reads

	clusters bool
	// unsure tells that the last expansion failed, so that not all that it reads of
	// clusters is known.
	unsure bool
	// expanding is what the set may ask hosts, while what it reads is just being
	// found out; else nil.
	expanding *generate.Reads
	// stale tells that something it reads may have changed since it was expanding.
	stale bool
	// settled is the set as it was when expanding it changed nothing; nil: it
	// has to be expanded.
	settled *written
	// wanted has why Applications of others were left to them, by their names.
	wanted map[string]error
}

// written is what people write of a set.
type written struct {
	uid                 types.UID
	generation          int64
	labels, annotations map[string]string
}

func writtenOf(set *v1alpha1.ApplicationSet) *written {
	return &written{set.UID, set.Generation, maps.Clone(set.Labels), maps.Clone(set.Annotations)}
}

// NewReaders returns an empty Readers.
func NewReaders() *Readers { return &Readers{sets: map[types.NamespacedName]reads{}} }

// Expanding says that a set is about to be expanded. Until Learn every change
// concerns it, but for events of hosts that it does not ask: one that comes
// meanwhile may or may not have been seen.
func (r *Readers) Expanding(set *v1alpha1.ApplicationSet) {
	asking := generate.Asking(set)
	r.mu.Lock()
	defer r.mu.Unlock()
	name := client.ObjectKeyFromObject(set)
	old := r.sets[name]
	old.expanding, old.stale, old.settled = &asking, false, nil
	r.sets[name] = old
}

// Stale says that what a set reads may have changed.
func (r *Readers) Stale(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, known := r.sets[name]; known {
		old.stale, old.settled = true, nil
		r.sets[name] = old
	}
}

// settle notes that expanding the set changed nothing, so that it need not be
// expanded again until it, or something it reads, changes.
func (r *Readers) settle(set *v1alpha1.ApplicationSet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := client.ObjectKeyFromObject(set)
	if old := r.sets[name]; !old.stale {
		old.settled = writtenOf(set)
		r.sets[name] = old
	}
}

// isSettled reports whether expanding the set would change nothing.
func (r *Readers) isSettled(set *v1alpha1.ApplicationSet) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	was := r.sets[client.ObjectKeyFromObject(set)].settled
	return was != nil && was.uid == set.UID && was.generation == set.Generation &&
		maps.Equal(was.labels, set.Labels) && maps.Equal(was.annotations, set.Annotations)
}

// Learn notes what a set read. After an expansion that failed early it keeps
// what was known, and assumes that clusters matter.
func (r *Readers) Learn(name types.NamespacedName, e *generate.Expansion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e == nil {
		old := r.sets[name]
		old.clusters, old.unsure, old.expanding = true, true, nil
		r.sets[name] = old
		return
	}
	// A set whose Applications were refused may be waiting for their cluster.
	r.sets[name] = reads{Reads: e.Reads, clusters: e.Reads.Clusters || len(e.Rejected) > 0, stale: r.sets[name].stale, wanted: r.sets[name].wanted}
}

// mostLearned is how many repositories, and how many projects, are kept of a set
// whose expansions fail one after the other, each at something else.
const mostLearned = 1000

// LearnOfFailure notes what a set read until its expansion failed, besides
// what was known: what comes after the failure is not known anew.
func (r *Readers) LearnOfFailure(name types.NamespacedName, e *generate.Expansion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.sets[name]
	now.clusters, now.unsure, now.expanding = true, true, nil
	if e != nil {
		for _, ref := range e.Reads.Repos {
			if !slices.Contains(now.Repos, ref) {
				now.Repos = append(slices.Clip(now.Repos), ref)
			}
		}
		for _, project := range e.Reads.Projects {
			if !slices.Contains(now.Projects, project) {
				now.Projects = append(slices.Clip(now.Projects), project)
			}
		}
		now.Repos, now.Projects = newest(now.Repos), newest(now.Projects)
		now.Plugins = now.Plugins || e.Reads.Plugins
		now.Reviews, now.Forges = more(now.Reviews, e.Reads.Reviews), more(now.Forges, e.Reads.Forges)
	}
	r.sets[name] = now
}

// newest are those that were learnt last.
func newest[T any](all []T) []T { return all[max(0, len(all)-mostLearned):] }

// more adds the generators that are not known yet.
func more[T any](known, now []*T) []*T {
	out := slices.Clip(known)
	for _, g := range now {
		if !slices.ContainsFunc(known, func(old *T) bool { return reflect.DeepEqual(old, g) }) {
			out = append(out, g)
		}
	}
	return newest(out)
}

// wants notes which Applications a set leaves to others although it makes them.
func (r *Readers) wants(name types.NamespacedName, taken map[string]error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now, known := r.sets[name]; known {
		now.wanted = taken
		r.sets[name] = now
	}
}

// learnOfWrites notes what became of the changes of a set. One that others changed
// meanwhile is expanded again, whatever else fails: no event tells of it.
func (r *Readers) learnOfWrites(name types.NamespacedName, wrote *outcome, out *report.Outcome) {
	r.wants(name, wrote.taken)
	if wrote.missed {
		r.Stale(name)
		out.Again(time.Millisecond)
	}
	if wrote.late {
		r.Stale(name)
		out.Again(conflictPause)
	}
}

// Wanting returns the sets that make an Application of this name, and left it
// to others when they looked last.
func (r *Readers) Wanting(app string) []types.NamespacedName {
	return r.which(func(s reads) bool { return s.wanted[app] != nil })
}

// Of is what a set read when it was last expanded.
func (r *Readers) Of(name types.NamespacedName) generate.Reads {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.sets[name].Reads
}

// Forget drops a set that is gone.
func (r *Readers) Forget(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sets, name)
}

// OfCluster returns the sets that a change of a cluster's Secret concerns: of one of
// labels and annotations alone those that read what differs.
func (r *Readers) OfCluster(change gitops.ClusterChange) []types.NamespacedName {
	return r.which(func(s reads) bool {
		switch {
		case s.expanding != nil:
			return true
		case !s.clusters:
			return false
		}
		return change.Whole || s.unsure || s.AsksAny(change.Keys)
	})
}

// OfRepo returns the sets that read one of the changed repositories.
func (r *Readers) OfRepo(change gitops.RepoChange) []types.NamespacedName {
	return r.which(func(s reads) bool {
		if s.expanding != nil {
			return true
		}
		for _, ref := range s.Repos {
			if change.Concerns(address.Folded(ref.RepoURL), ref.Revision) {
				return true
			}
		}
		return false
	})
}

// OfProjects returns the sets that looked up a project.
func (r *Readers) OfProjects(match func(project string) bool) []types.NamespacedName {
	return r.which(func(s reads) bool { return s.expanding != nil || slices.ContainsFunc(s.Projects, match) })
}

// OfHost returns the sets that asked a Git host for what an event is about, or
// that may be asking just now. Strangers send events: one of a host that a set
// does not ask is none of its concern.
func (r *Readers) OfHost(e generate.HostEvent) []types.NamespacedName {
	return r.which(func(s reads) bool { return s.Concerns(e) || s.expanding != nil && s.expanding.Concerns(e) })
}

func (r *Readers) which(match func(reads) bool) []types.NamespacedName {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var names []types.NamespacedName
	for name, s := range r.sets {
		if match(s) {
			names = append(names, name)
		}
	}
	return names
}
