package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// TestDefaultBranches: who adds a repository is shown its branch before it is used, and
// nothing is kept of one that is only tried.
func TestDefaultBranches(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, want string
		made         func(*upstream)
		kind         gitops.ProblemKind
	}{
		"Main":     {"the branch that is checked out there", "main", func(u *upstream) { u.commit("first") }, 0},
		"Deep":     {"whatever it is named", "team/\u00fc", func(u *upstream) { u.commit("first"); u.git("checkout", "--quiet", "-b", "team/\u00fc") }, 0},
		"Alike":    {"a branch named HEAD is not it", "main", func(u *upstream) { u.commit("first"); u.git("update-ref", "refs/heads/HEAD", "HEAD") }, 0},
		"Detached": {"a repository may have none", "", func(u *upstream) { u.commit("first"); u.git("checkout", "--quiet", "--detach") }, 0},
		"Empty":    {"nor has one without a commit", "", func(*upstream) {}, 0},
		"Gone":     {"what is no repository is told", "", func(u *upstream) { _ = os.RemoveAll(filepath.Join(u.dir, ".git")) }, gitops.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t)
			tc.made(u)
			at, err := address.Parse(u.dir)
			if err != nil {
				t.Fatal(err)
			}
			command := newStore(t).command
			got, err := command.Probe(t.Context(), at, open(access.Credential{}), time.Minute)
			if got != tc.want || (err != nil) != (tc.kind != 0) || err != nil && !gitops.IsProblem(err, tc.kind) {
				t.Errorf("%s: %q, %v", tc.reason, got, err)
			}
			if left, err := filepath.Glob(filepath.Join(command.home, "probe-*")); err != nil || len(left) > 0 {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}
