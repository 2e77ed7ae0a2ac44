package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// commitTime bounds one call of git on this machine.
const commitTime = time.Minute

// Commits reports whether a Commit would have something to commit once the
// layout is written. It fails where git would.
func (s Scaffold) Commits(ctx context.Context) (bool, error) {
	paths, err := s.own(Missing, Same)
	if err != nil || len(paths) == 0 {
		return false, err
	}
	// Whatever the user's settings hide: a file that is not tracked is committed.
	changed, err := s.git(ctx, commitTime, append([]string{"status", "--porcelain", "--untracked-files=all", "--"}, paths...)...)
	if err != nil {
		return false, s.uncommitted(err)
	}
	missing, err := s.own(Missing)
	if err != nil || changed == "" && len(missing) == 0 {
		return false, err
	}
	if _, err := s.git(ctx, commitTime, "var", "GIT_COMMITTER_IDENT"); err != nil {
		return false, s.uncommitted(err)
	}
	return true, nil
}

// own are the files of the layout in one of some states.
func (s Scaffold) own(states ...FileState) ([]string, error) {
	all, err := s.Files()
	var paths []string
	for _, f := range all {
		if slices.Contains(states, f.State) {
			paths = append(paths, f.Path)
		}
	}
	return paths, err
}

// Commit commits the files of the layout that are as it has them, and nothing
// else of the work tree. It returns false where they are committed already.
func (s Scaffold) Commit(ctx context.Context) (bool, error) {
	paths, err := s.own(Same)
	if err != nil || len(paths) == 0 {
		return false, err
	}
	done, err := s.commit(ctx, paths)
	if err != nil {
		err = s.uncommitted(err)
	}
	return done, err
}

func (s Scaffold) uncommitted(err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot commit the layout in %s: %w", s.Dir, err).
		Do("mend that, or leave --commit out and commit it yourself")
}

func (s Scaffold) commit(ctx context.Context, paths []string) (bool, error) {
	if _, err := s.git(ctx, commitTime, append([]string{"add", "--"}, paths...)...); err != nil {
		return false, err
	}
	changed, err := s.git(ctx, commitTime, append([]string{"status", "--porcelain", "--"}, paths...)...)
	if err != nil || changed == "" {
		return false, err
	}
	_, err = s.git(ctx, commitTime, append([]string{"commit", "--quiet", "--message", "Lay out the fleet", "--"}, paths...)...)
	return err == nil, err
}

// git runs a command of git in the work tree, within a time. Paths are names: a folder
// that is called [eu] does not mean e.
func (s Scaffold) git(ctx context.Context, within time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", s.Dir, "--literal-pathspecs"}, args...)...).Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(redact.Addresses(strings.TrimSpace(string(exit.Stderr))))
	}
	return "", fmt.Errorf("git %s: %w", args[0], err)
}
