package store

import "github.com/causeway-gitops/causeway/internal/gitops"

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
)

// What records take in memory without their texts, in bytes: a sync or a step, and an
// object, a wave, a commit or a change of health.
const (
	perRecord = 640
	perPart   = 192
)

// Shorten leaves out what is too much of a sync: of the tries between the first and
// the last few what a later one has as well, and the objects that are more than fit,
// those of the tries between first. It changes no wave that was handed out.
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
	last := map[gitops.Key]int{}
	for i := from; i < len(s.Waves); i++ {
		for k := range s.Waves[i].Objects {
			last[s.Waves[i].Objects[k].Key()] = i
		}
	}
	pruned := map[gitops.Key]bool{}
	waves := append(make([]Wave, 0, len(s.Waves)), s.Waves[:from]...)
	for i := from; i < len(s.Waves); i++ {
		w := s.Waves[i]
		w.Objects = thin(w.Objects, pruned, func(k gitops.Key) bool { return i >= to || last[k] == i })
		if i >= to || len(w.Objects) > 0 {
			waves = append(waves, w)
		}
	}
	s.Waves = waves
}

// thin are the objects that stay. That another one was deleted is told where the same
// comes next.
func thin(objects []Object, pruned map[gitops.Key]bool, stays func(gitops.Key) bool) []Object {
	out := make([]Object, 0, len(objects))
	for i := range objects {
		o, key := objects[i], objects[i].Key()
		if !stays(key) {
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

// fit leaves objects out until the others take no more than most: the tries between
// go first, the oldest of them before the others, and then the ends of the first waves.
func (s *Sync) fit(most int64) {
	all := int64(0)
	for i := range s.Waves {
		all += s.Waves[i].weight()
	}
	if all <= most {
		return
	}
	from, to := s.between()
	waves, had := make([]Wave, 0, len(s.Waves)), s.Waves
	for i := range had {
		if all > most && i >= from && i < to {
			all -= had[i].weight()
			s.omit(had[i].Objects)
			continue
		}
		waves = append(waves, had[i])
	}
	s.Waves = waves
	for i := 0; i < len(s.Waves) && all > most; i++ {
		w := &s.Waves[i]
		n := len(w.Objects)
		for ; n > 0 && all > most; n-- {
			all -= w.Objects[n-1].weight()
		}
		s.omit(w.Objects[n:])
		w.Objects = w.Objects[:n:n]
	}
}

// omit counts objects that are kept no longer.
func (s *Sync) omit(objects []Object) {
	for i := range objects {
		s.Omitted.add(&objects[i])
	}
}

// weight is about what an object takes in memory, in bytes.
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

// weight is about what a sync takes in memory, in bytes.
func (s *Sync) weight() int64 {
	all := perRecord + int64(len(s.By)+len(s.Message)+len(s.Sources)+len(s.Request)) + commitsWeight(s.Commits)
	if s.Origin != nil {
		for _, b := range s.Origin.Besides {
			all += perPart + int64(len(b.RepoURL))
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

func (st *Step) weight() int64 {
	return perRecord + int64(len(st.Message)) + commitsWeight(st.Commits)
}

func changesWeight(changes []Change) int64 {
	all := int64(0)
	for i := range changes {
		c := &changes[i]
		all += perPart + int64(len(c.Group)+len(c.Kind)+len(c.Namespace)+len(c.Name)+len(c.Message))
	}
	return all
}

// Said is a message as it is kept of an object.
func Said(message string) string { return gitops.First(message, mostOfObject) }
