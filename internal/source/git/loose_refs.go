package git

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// names are references of a repository on the disk, and what they lead to.
type names map[string]string

// refs reads the references below a prefix.
func (s *Store) refs(ctx context.Context, prefix string) (names, error) {
	return s.command.refs(ctx, s.dir, prefix)
}

func (c *Command) refs(ctx context.Context, dir, prefix string) (names, error) {
	out, err := c.run(ctx, dir, session{}, nil, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, err
	}
	all := names{}
	for line := range strings.Lines(string(out)) {
		if hash, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			all[name] = hash
		}
	}
	return all, nil
}

// text is how git keeps them in one file.
func (n names) text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(n)) {
		b.WriteString(n[name] + " " + name + "\n")
	}
	return b.String()
}

// one names a commit that was fetched alone.
func one(hash string) func(context.Context, *incoming) ([]string, error) {
	return func(context.Context, *incoming) ([]string, error) {
		return []string{"update refs/causeway/" + hash + " " + hash + "\n"}, nil
	}
}

// branchesAndTags names all that were fetched. Those that are gone go first: another one may have their name as a folder.
func branchesAndTags(ctx context.Context, in *incoming) ([]string, error) {
	came, err := in.store.command.refs(ctx, in.dir, mirrored)
	if err != nil {
		return nil, err
	}
	had, err := in.store.refs(ctx, mirrored)
	if err != nil {
		return nil, err
	}
	var gone, moved strings.Builder
	for name := range had {
		if came[name] == "" {
			gone.WriteString("delete " + name + "\n")
		}
	}
	for name, hash := range came {
		if had[name] != hash {
			moved.WriteString("update " + name + " " + hash + "\n")
		}
	}
	return []string{gone.String(), moved.String()}, nil
}

// mirrored is where the server's branches and tags are kept.
const mirrored = "refs/remote/"
