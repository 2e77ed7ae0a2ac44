package history

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what is kept of one sync, which may be tried again without end.
const (
	// lastTries are told in whole besides the first one: how it began, and how it goes now.
	lastTries = 3
	// mostOfSync is what the objects of all waves take in memory, in bytes. The 10,000
	// objects of the largest Application take a quarter of it.
	mostOfSync = 16 << 20
	// mostOfObject bounds what is said of one object, in bytes, so that those of one
	// wave fit. What the API server says is shorter most times.
	mostOfObject = 1 << 10
	// leastOfObject is what stays of that where all is too much, in bytes: with it, the
	// 10,000 objects of an Application fit, and as many that it deletes.
	leastOfObject = 64
)

// What records take in memory without their texts, in bytes: a sync or a step, and an
// object, a wave, a commit or a change of health.
const (
	perRecord = 640
	perPart   = 192
)

// Shorten leaves out what is too much of a sync: of the tries between the first and
// the last few what a later one has as well, and what is more than fits. It changes no
// wave that was handed out.
func (s *Sync) Shorten() {
	s.thinTries()
	s.fit(mostOfSync)
}

// thinTries keeps, of the tries between, the objects that no later try has: they
// count, and what the sync deleted is told once.
func (s *Sync) thinTries() {
	from, to := s.between()
	if from == to {
		return
	}
	s.LeftOut = max(s.LeftOut, s.Waves[to-1].Try)
	last, pruned := lastWaves(s.Waves, from), map[gitops.Key]bool{}
	waves := append(make([]Wave, 0, len(s.Waves)), s.Waves[:from]...)
	for i := from; i < len(s.Waves); i++ {
		w := s.Waves[i]
		w.Objects = thin(w.Objects, pruned, func(o *Object) bool { return i >= to || last[o.Key()] == i })
		if i >= to || len(w.Objects) > 0 {
			waves = append(waves, w)
		}
	}
	s.Waves = waves
}

// lastWaves are the last of the waves, from one on, that tell of each object.
func lastWaves(waves []Wave, from int) map[gitops.Key]int {
	last := map[gitops.Key]int{}
	for i := from; i < len(waves); i++ {
		for k := range waves[i].Objects {
			last[waves[i].Objects[k].Key()] = i
		}
	}
	return last
}

// thin are the objects that stay. That another one was deleted is told where the same
// comes next.
func thin(objects []Object, pruned map[gitops.Key]bool, stays func(*Object) bool) []Object {
	out := make([]Object, 0, len(objects))
	for i := range objects {
		o, key := objects[i], objects[i].Key()
		if !stays(&objects[i]) {
			pruned[key] = pruned[key] || o.Pruned
			continue
		}
		if pruned[key] {
			o.Pruned = true
			delete(pruned, key)
		}
		out = append(out, o)
	}
	return out
}

// between is where the waves are of the tries that are neither the first nor one of
// the last. It goes by their order: whoever writes an Application writes numbers of tries.
func (s *Sync) between() (from, to int) {
	for from < len(s.Waves) && s.Waves[from].Try == s.Waves[0].Try {
		from++
	}
	to = len(s.Waves)
	for tries := 0; tries < lastTries && to > from; tries++ {
		for try := s.Waves[to-1].Try; to > from && s.Waves[to-1].Try == try; {
			to--
		}
	}
	return from, to
}

// fit makes the objects take no more than most: those go first that a later wave tells
// of as well, then all but the beginning of what is said of them, and then those that no
// wave tells of any more, which are counted: what was deleted after all others.
func (s *Sync) fit(most int64) {
	over := -most
	for i := range s.Waves {
		over += s.Waves[i].weight()
	}
	if over <= 0 {
		return
	}
	s.Waves = slices.Clone(s.Waves)
	over = s.cutSaid(s.dropRepeated(over))
	over = s.omit(over, func(o *Object) bool { return !o.Pruned })
	s.omit(over, func(*Object) bool { return true })
}

// dropRepeated leaves out what a later wave tells of, of the oldest waves first.
func (s *Sync) dropRepeated(over int64) int64 {
	last, pruned := lastWaves(s.Waves, 0), map[gitops.Key]bool{}
	for i := range s.Waves {
		w := &s.Waves[i]
		had := len(w.Objects)
		w.Objects = thin(w.Objects, pruned, func(o *Object) bool {
			if over <= 0 || last[o.Key()] == i {
				return true
			}
			over -= o.weight()
			return false
		})
		w.Repeated += had - len(w.Objects)
	}
	return over
}

// cutSaid leaves out all but the beginning of what is said of objects, which tells the
// outcome, of the oldest waves first.
func (s *Sync) cutSaid(over int64) int64 {
	for i := 0; i < len(s.Waves) && over > 0; i++ {
		w := &s.Waves[i]
		w.Objects = slices.Clone(w.Objects)
		for k := 0; k < len(w.Objects) && over > 0; k++ {
			o := &w.Objects[k]
			over -= o.weight()
			o.Message = gitops.First(o.Message, leastOfObject)
			over += o.weight()
		}
	}
	return over
}

// omit leaves out objects that may go: the tries between go first, the oldest of them
// before the others, and then the ends of the first waves.
func (s *Sync) omit(over int64, may func(*Object) bool) int64 {
	from, to := s.between()
	for i := from; i < to && over > 0; i++ {
		if over = s.omitOf(&s.Waves[i], over, may); len(s.Waves[i].Objects) == 0 {
			over -= perPart // of the wave, which goes as well
		}
	}
	left := slices.DeleteFunc(slices.Clone(s.Waves[from:to]), func(w Wave) bool { return len(w.Objects) == 0 })
	s.Waves = slices.Concat(s.Waves[:from], left, s.Waves[to:])
	for i := 0; i < len(s.Waves) && over > 0; i++ {
		over = s.omitOf(&s.Waves[i], over, may)
	}
	return over
}

// omitOf leaves out objects of a wave, from its end on.
func (s *Sync) omitOf(w *Wave, over int64, may func(*Object) bool) int64 {
	kept := make([]Object, 0, len(w.Objects))
	for i := range slices.Backward(w.Objects) {
		o := &w.Objects[i]
		if over <= 0 || !may(o) {
			kept = append(kept, *o)
			continue
		}
		over -= o.weight()
		s.Omitted.omitted(o)
	}
	slices.Reverse(kept)
	w.Objects = kept
	return over
}

// omitted counts an object that is kept no longer. It is a deletion where the sync
// deleted it, as the audit tells, whatever became of it after.
func (c *Counts) omitted(o *Object) {
	pruned := c.Pruned
	c.add(o)
	c.Pruned = pruned
	if o.Pruned {
		c.Pruned++
	}
}

// Weight is about what an object takes in memory, in bytes.
func (o *Object) weight() int64 {
	return perPart + int64(len(o.Group)+len(o.Kind)+len(o.Namespace)+len(o.Name)+len(o.Verb)+len(o.Status)+len(o.Message))
}

func (w *Wave) weight() int64 {
	all := int64(perPart)
	for i := range w.Objects {
		all += w.Objects[i].weight()
	}
	return all
}

// Weight is about what a sync takes in memory, in bytes.
func (s *Sync) Weight() int64 {
	all := perRecord + int64(len(s.By)+len(s.Message)+len(s.Sources)+len(s.Request)) + commitsWeight(s.Commits)
	if s.Origin != nil {
		for _, b := range s.Origin.Besides {
			all += perPart + int64(len(b.RepoURL)+len(b.Chart))
		}
	}
	for i := range s.Waves {
		all += s.Waves[i].weight()
	}
	return all
}

func commitsWeight(commits []Commit) int64 {
	all := int64(0)
	for i := range commits {
		c := &commits[i]
		all += perPart + int64(len(c.RepoURL)+len(c.Revision)+len(c.Author)+len(c.Subject))
	}
	return all
}

// Weight is about what a step takes in memory, in bytes.
func (st *Step) Weight() int64 {
	return perRecord + int64(len(st.Message)) + commitsWeight(st.Commits)
}

// ChangesWeight is about what changes of health take in memory, in bytes.
func ChangesWeight(changes []Change) int64 {
	all := int64(0)
	for i := range changes {
		c := &changes[i]
		all += perPart + int64(len(c.Group)+len(c.Kind)+len(c.Namespace)+len(c.Name)+len(c.Message))
	}
	return all
}

// Said is a message as it is kept of an object.
func Said(message string) string { return gitops.First(message, mostOfObject) }
