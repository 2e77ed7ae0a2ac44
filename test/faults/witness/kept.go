package witness

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// Kept tells of objects that were made anew, by the ids that the API server gave them. No commit brings back what an
// earlier one took out, so that each has been deleted while Git held it. Where people delete objects by hand, nothing
// can be said.
func Kept(s *scene.Scene, events []Event) []error {
	if s.Drift {
		return nil
	}
	lives := livesOf(events)
	var errs []error
	for _, key := range slices.SortedFunc(maps.Keys(lives), func(a, b scene.Key) int { return cmp.Compare(a.String(), b.String()) }) {
		for _, commit := range s.Commits {
			at := slices.IndexFunc(commit, func(o scene.Object) bool { return o.Key == key && o.Hook == "" })
			if at >= 0 && len(lives[key]) > 1 {
				errs = append(errs, fmt.Errorf("%s was made %d times: it was deleted while Git held it", key, len(lives[key])))
				break
			}
		}
	}
	return errs
}

// livesOf are the ids that objects had.
func livesOf(events []Event) map[scene.Key]map[string]bool {
	out := map[scene.Key]map[string]bool{}
	for _, e := range events {
		if out[e.Key] == nil {
			out[e.Key] = map[string]bool{}
		}
		out[e.Key][e.UID] = true
	}
	return out
}
