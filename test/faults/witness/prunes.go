package witness

import (
	"fmt"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// prunes tells of objects that were deleted before those of a higher wave
// that the same commit takes out, or that go with the applications: what is
// taken away goes in the reverse order of its creation. An object that
// somebody else deleted, or that came later, is no reason to wait.
func (p *Played) prunes(writes []Request) []error {
	deleted, made := map[scene.Key]Request{}, map[scene.Key]Request{}
	for _, w := range writes {
		key := scene.Key{Kind: kinds[w.Resource], Name: w.Name}
		if _, ok := deleted[key]; !ok && w.Verb == "delete" && key.Kind != "" {
			deleted[key] = w
		}
		if w.Created() {
			made[key] = w
		}
	}
	var errs []error
	for i := range p.Scene.Commits {
		going := p.going(i)
		for _, x := range going {
			for _, y := range going {
				low, okLow := deleted[x.Key]
				high, okHigh := deleted[y.Key]
				late := made[y.Key].Answered.After(low.Received)
				if x.App != y.App || x.Wave >= y.Wave || !okLow || !okHigh || late || !high.Answered.After(low.Received) {
					continue
				}
				errs = append(errs, fmt.Errorf("%s of wave %d was deleted before %s of wave %d, which went with it after commit %d", x.Key, x.Wave, y.Key, y.Wave, i))
			}
		}
	}
	return errs
}

// going are the ordinary objects of a commit that the next one, or the
// deletion of the applications, takes out.
func (p *Played) going(commit int) []scene.Object {
	var out []scene.Object
	for _, o := range p.Scene.Commits[commit] {
		last := commit == len(p.Scene.Commits)-1
		if o.Hook == "" && !kindless(o) && (last || !holds(p.Scene.Commits[commit+1], o.Key)) {
			out = append(out, o)
		}
	}
	return out
}
