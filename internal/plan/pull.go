package plan

import (
	"cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// pull moves each task that provides something right before the first task that
// needs it, into that one's phase and wave; one that comes first stays. Where
// providers need something themselves, it is the same for all of them.
func pull[K comparable](tasks []task, provides, needs func(*task) (K, bool)) []task {
	p := newPulled(len(tasks))
	first := make(map[K]int, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		if !t.prune() {
			if thing, ok := provides(t); ok {
				if user, found := first[thing]; found {
					t.phase, t.wave = tasks[user].phase, tasks[user].wave
					p.move(i, user)
				}
			}
			if thing, ok := needs(t); ok {
				if user, found := first[thing]; !found || p.before(i, user) {
					first[thing] = i
				}
			}
		}
	}
	out := make([]task, 0, len(tasks))
	for i := p.next[p.end()]; i != p.end(); i = p.next[i] {
		out = append(out, tasks[i])
	}
	return out
}

// pulled is a list of tasks by their places in the sorted one, as a ring that
// begins and ends after the last place: a task moves without those in between.
type pulled struct {
	next, last []int
	// under is the task that did not move and that a task was moved to, at last.
	under []int
	// to is the task that a task was moved to.
	to []int
}

func newPulled(tasks int) *pulled {
	p := &pulled{next: make([]int, tasks+1), last: make([]int, tasks+1), under: make([]int, tasks), to: make([]int, tasks)}
	for i := range tasks + 1 {
		p.next[i], p.last[i] = (i+1)%(tasks+1), (i+tasks)%(tasks+1)
	}
	for i := range tasks {
		p.under[i], p.to[i] = i, i
	}
	return p
}

func (p *pulled) end() int { return len(p.under) }

// move puts a task right before another one.
func (p *pulled) move(i, user int) {
	p.next[p.last[i]], p.last[p.next[i]] = p.next[i], p.last[i]
	before := p.last[user]
	p.next[before], p.last[i], p.next[i], p.last[user] = i, before, user, i
	p.under[i], p.to[i] = p.under[user], user
}

// before reports whether the task that was looked at last comes before an earlier
// one. Of those that were moved to the same task, it is the nearest to that.
func (p *pulled) before(i, other int) bool {
	return p.to[i] == other || p.under[i] < p.under[other]
}

// defined is the kind whose definition a task brings.
func defined(t *task) (groupKind, bool) { return t.defines, t.defines.kind != "" }

func used(t *task) (groupKind, bool) {
	return groupKind{t.action.Key.Group, t.action.Key.Kind}, true
}

// created is the namespace that a task brings.
func created(t *task) (string, bool) { return t.action.Key.Name, isNamespace(t.action.Key) }

// occupied is the namespace that a task needs.
func occupied(t *task, defaultNamespace string) (string, bool) {
	return cmp.Or(t.action.Key.Namespace, defaultNamespace), !isNamespace(t.action.Key)
}

func isNamespace(k gitops.Key) bool { return k.Kind == "Namespace" && k.Group == "" }
