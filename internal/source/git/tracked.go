package git

import (
	"context"
	"strings"
)

// Tracked returns a path that the index has at or below a path of the work
// tree, with slashes; empty where it has none. Letters of either case count: on
// some disks they are the same file.
func (k *Checkout) Tracked(ctx context.Context, path string) (string, error) {
	if k.Top == "" {
		return "", nil
	}
	if err := k.stand.follow(ctx, k.Place); err != nil {
		return "", err
	}
	e, err := k.edition()
	if err != nil {
		return "", err
	}
	defer e.close()
	args := []string{"ls-files", "-z", "--cached"}
	if path != "." {
		args = append(args, "--", ":(top,icase,literal)"+path)
	}
	out, err := e.run(ctx, e.staged, nil, args...)
	if err != nil {
		return "", e.unread(err)
	}
	first, _, _ := strings.Cut(string(out), "\x00")
	return first, nil
}
