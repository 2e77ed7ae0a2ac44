package scene

import "testing"

// TestNoSceneAsksTheGuard looks at scenes whose commits are met as one.
func TestNoSceneAsksTheGuard(t *testing.T) {
	for seed := uint64(1); seed <= 2000; seed++ {
		s := New(seed, "argocd", "https://git.example.com")
		last, gone := map[Key]bool{}, map[string]int{}
		for _, o := range s.Commits[len(s.Commits)-1] {
			last[o.Key] = true
		}
		counted := map[Key]bool{}
		for _, commit := range s.Commits {
			for _, o := range commit {
				if !last[o.Key] && !counted[o.Key] {
					counted[o.Key] = true
					gone[o.App]++
				}
			}
		}
		for app, n := range gone {
			if n > mostRemoved {
				t.Errorf("seed %d takes %d objects out of %s", seed, n, app)
			}
		}
	}
}
