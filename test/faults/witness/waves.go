package witness

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// Waves tells of objects that were written before the waves below them had
// been healthy, by the order in which etcd stored the changes.
//
// An object that shows a content for the first time belongs to one of the
// commits that have it. For one of these, every object of a lower wave must
// have shown its own content, healthy, before.
func Waves(s *scene.Scene, events []Event) []error {
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Revision, b.Revision) })
	met := map[shown]bool{}
	good := map[shown]bool{}
	var errs []error
	for _, e := range events {
		now := shown{e.Key, e.Content}
		if e.Deleted || e.Content == "" {
			continue
		}
		if !met[now] {
			met[now] = true
			if err := early(s, now, good); err != nil {
				errs = append(errs, fmt.Errorf("at revision %d: %w", e.Revision, err))
			}
		}
		if e.Healthy {
			good[now] = true
		}
	}
	return errs
}

type shown struct {
	key     scene.Key
	content string
}

// early tells what should have been healthy before an object showed up.
func early(s *scene.Scene, now shown, good map[shown]bool) error {
	var last error
	for i, commit := range s.Commits {
		at := slices.IndexFunc(commit, func(o scene.Object) bool { return o.Key == now.key && o.Content == now.content })
		if at < 0 {
			continue
		}
		if last = lower(commit, commit[at], good); last == nil {
			return nil
		}
		last = fmt.Errorf("commit %d: %w", i, last)
	}
	return last
}

// lower looks at the objects of lower waves in one commit. Hooks follow
// phases and are judged by their runs.
func lower(commit []scene.Object, o scene.Object, good map[shown]bool) error {
	if o.Hook != "" {
		return nil
	}
	for _, x := range commit {
		if x.App != o.App || x.Hook != "" || x.Wave >= o.Wave || plural(x.Kind) == "" || good[shown{x.Key, x.Content}] {
			continue
		}
		return fmt.Errorf("%s of wave %d was written with content %s before %s of wave %d had been healthy with content %s", o.Key, o.Wave, o.Content, x.Key, x.Wave, x.Content)
	}
	return nil
}
