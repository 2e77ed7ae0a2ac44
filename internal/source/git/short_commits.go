package git

import (
	"context"
	"io"
	"strings"
)

// maxAlike is how many commits of a store that begin alike are told apart.
const maxAlike = 16

// among completes an abbreviated commit with the one in the history of tips that
// begins so, as far as that is in the store; it is empty when there is none, or
// more than one.
func (s *Store) among(ctx context.Context, prefix string, tips search) (string, error) {
	alike := s.alike(ctx, prefix)
	if len(alike) > maxAlike {
		return "", nil
	}
	found := ""
	for _, hash := range alike {
		led, err := s.leadTo(ctx, tips, hash)
		switch {
		case err != nil:
			return "", err
		case led && found != "":
			return "", nil
		case led:
			found = hash
		}
	}
	return found, nil
}

// alike are the commits of the store that begin with some digits.
func (s *Store) alike(ctx context.Context, prefix string) []string {
	out, err := s.command.run(ctx, s.dir, session{}, nil, "rev-parse", "--disambiguate="+prefix)
	if err != nil {
		return nil
	}
	var commits []string
	for _, hash := range strings.Fields(string(out)) {
		if kind, _, err := s.objects.size(hash); err == nil && kind == "commit" {
			commits = append(commits, hash)
		}
	}
	return commits
}

// leadTo reports whether a commit is one at the tip of a branch or tag, or in the
// history of one.
func (s *Store) leadTo(ctx context.Context, tips search, commit string) (bool, error) {
	if err := tips.on(ctx, tips.named.count); err != nil {
		return false, err
	}
	all, err := tips.tips()
	if err != nil {
		return false, err
	}
	defer func() { _ = all.Close() }() // it was only read
	in := io.MultiReader(strings.NewReader(commit+"\n"), all)
	out, err := s.command.run(ctx, s.dir, session{}, in, "rev-list", "--max-count=1", "--ignore-missing", "--stdin")
	return err == nil && len(out) == 0, ctx.Err()
}
