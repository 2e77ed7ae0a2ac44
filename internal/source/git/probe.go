package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

// ErrMuch says that a repository lists more than git reads to try it. It answers,
// and what it lists is read when it is used.
var ErrMuch = errors.New("the repository lists more than is read to try it")

// Probe asks a repository for its default branch and keeps nothing of the
// answer. The branch is empty where the repository has no commit yet. The error
// is ErrMuch where it answers with more than is read for a question.
func (c *Command) Probe(ctx context.Context, at address.Address, cred Credential, timeout time.Duration) (branch string, err error) {
	brief := *c
	brief.timeout = min(c.timeout, timeout)
	dir, err := os.MkdirTemp(c.home, "probe-")
	if err != nil {
		return "", unwritable(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it holds no more than names of branches
	r := NewRemote(&Store{command: &brief, dir: filepath.Join(dir, "store.git")}, at, cred)
	if _, err := r.follow(ctx); err != nil {
		return "", err
	}
	out := &bounded{limit: messageLimit, cut: true} // what HEAD stands for comes first
	e := errand{what: lookingUp, args: []string{"ls-remote", "--symref", "--quiet", "--", r.target(), "HEAD"}, memory: r.boundOf(smallLook)}
	err = r.callInto(ctx, out, e)
	if starved(err) {
		return "", ErrMuch
	}
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(out.Bytes()) {
		if rest, ok := strings.CutPrefix(string(line), "ref: refs/heads/"); ok {
			branch, _, _ = strings.Cut(rest, "\t")
			return branch, nil
		}
	}
	return "", nil
}
