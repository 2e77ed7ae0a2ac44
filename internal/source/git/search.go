package git

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/causeway-gitops/causeway/internal/source/version"
)

// search looks through a repository's references, on an account.
type search struct {
	*refs

	account string
}

// looked is how many references are looked at between two looks at the context
// and the account.
const looked = 4096

// each shows what HEAD, branches and tags lead to, in the order of the server,
// for as long as more says so. The texts are another's as soon as it returns.
func (s search) each(ctx context.Context, more func(hash, name []byte) bool) error {
	return s.in(ctx, s.path, 1, more)
}

// in is each for a file, of which a line costs so much.
func (s search) in(ctx context.Context, path string, cost int, more func(hash, name []byte) bool) error {
	if err := s.on(ctx, 0); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		s.lost.Store(true)
		return unwritable(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	seen := 0 // since the account was looked at
	for on := true; on && lines.Scan(); {
		if seen >= looked {
			if err := s.on(ctx, seen*cost); err != nil {
				return err
			}
			seen = 0
		}
		hash, name, _ := bytes.Cut(lines.Bytes(), []byte{'\t'})
		on = more(hash, name)
		seen++
	}
	if err := lines.Err(); err != nil {
		return unwritable(err)
	}
	return s.on(ctx, seen*cost)
}

// on tells why a search does not go on, after so many lines.
func (s search) on(ctx context.Context, lines int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.spent.spend(s.account, lines)
}

// find returns what a revision names; nothing where it names nothing. Branches
// come before tags, ranges before both, a whole name before all that are called
// like it, and a whole commit is no name: who may push a branch would move what
// others pinned.
func (s search) find(ctx context.Context, revision string) (named, error) {
	if revision == "" || revision == "HEAD" {
		return s.head(ctx)
	}
	if version.IsRange(revision) {
		tag, err := s.newest(ctx, revision)
		if err != nil {
			return named{}, err
		}
		if tag != "" { // which many ranges may come to
			return s.once(sought{tag, byTag}, func() (named, error) { return s.first(ctx, tagPrefix+tag) })
		}
	}
	if strings.HasPrefix(revision, "refs/") {
		if of, err := s.first(ctx, revision); err != nil || of.hash != "" {
			return of, err
		}
	}
	// A name may lack only refs/ or refs/remotes/.
	return s.first(ctx, branchPrefix+revision, tagPrefix+revision, "refs/"+revision, "refs/remotes/"+revision)
}

// head is what HEAD stands for, by its hash or else by the name that the server tells.
func (s search) head(ctx context.Context) (named, error) {
	hash, target := "", ""
	err := s.each(ctx, func(h, name []byte) bool {
		if string(name) != "HEAD" {
			return true
		}
		if to, symbolic := bytes.CutPrefix(h, []byte(symbolicRef)); symbolic {
			target = string(to)
			return true
		}
		hash = string(h)
		return false
	})
	switch {
	case err != nil || hash != "":
		return named{hash, "HEAD"}, err
	case strings.HasPrefix(target, branchPrefix):
		return s.first(ctx, target)
	}
	return named{}, nil
}

// first is the first of some names that is there, branches and tags before all
// others. An annotated tag is the commit that it stands for.
func (s search) first(ctx context.Context, names ...string) (named, error) {
	var own, others []string
	for _, name := range names {
		if isNamed([]byte(name)) {
			own = append(own, name)
			continue
		}
		others = append(others, name)
	}
	for _, part := range []struct {
		path  string
		names []string
	}{{s.path, own}, {s.others, others}} {
		if part.path == "" || len(part.names) == 0 {
			continue
		}
		if of, err := s.firstIn(ctx, part.path, part.names); err != nil || of.hash != "" {
			return of, err
		}
	}
	return named{}, nil
}

func (s search) firstIn(ctx context.Context, path string, names []string) (named, error) {
	rank := map[string]int{}
	for i, name := range names {
		for j, n := range []string{name + peeled, name} {
			if _, known := rank[n]; !known {
				rank[n] = 2*i + j
			}
		}
	}
	best, out := 2*len(names), named{}
	err := s.in(ctx, path, 1, func(hash, name []byte) bool {
		if at, ok := rank[string(name)]; ok && at < best && len(hash) > 0 && hash[0] != symbolicRef[0] {
			best, out = at, named{string(hash), names[at/2]}
		}
		return best > 0
	})
	return out, err
}

// exact is what a branch or tag itself leads to, which of an annotated tag is the tag.
func (s search) exact(ctx context.Context, name string) (string, error) {
	out := ""
	err := s.each(ctx, func(hash, n []byte) bool {
		if string(n) == name {
			out = string(hash)
		}
		return out == ""
	})
	return out, err
}

// newest is the newest tag within a range; empty for none.
func (s search) newest(ctx context.Context, within string) (string, error) {
	pick := version.Within(within)
	if pick == nil {
		return "", nil
	}
	if s.few() != nil { // they are too many to be sorted
		err := s.in(ctx, s.path, versionCost, func(_, name []byte) bool {
			if tag, ok := tagOf(name); ok {
				pick.Offer(string(tag))
			}
			return true
		})
		tag, _ := pick.Best()
		return tag, err
	}
	sorted, err := s.newestFirst.file(func() ([]string, error) { return s.tags(ctx) })
	if err != nil {
		return "", err
	}
	err = s.in(ctx, sorted, versionCost, func(_, name []byte) bool {
		if tag, ok := tagOf(name); ok {
			pick.Offer(string(tag))
		}
		_, found := pick.Best()
		return !found
	})
	tag, _ := pick.Best()
	return tag, err
}

func (s search) tags(ctx context.Context) ([]string, error) {
	var all []string
	err := s.in(ctx, s.path, versionCost, func(_, name []byte) bool {
		if tag, ok := tagOf(name); ok {
			all = append(all, string(tag))
		}
		return true
	})
	return all, err
}

// abbreviated finds the one commit at the tip of a branch or tag whose hash starts so.
func (s search) abbreviated(ctx context.Context, prefix string) (string, error) {
	one, several := "", false
	err := s.each(ctx, func(hash, name []byte) bool {
		if bytes.HasPrefix(hash, []byte(prefix)) && isNamed(name) && string(hash) != one {
			several = one != ""
			one = string(hash)
		}
		return !several
	})
	if several {
		return "", err
	}
	return one, err
}

func (s search) near(ctx context.Context) (near, error) {
	var n near
	err := s.each(ctx, func(_, name []byte) bool {
		if b, ok := bytes.CutPrefix(name, []byte(branchPrefix)); ok && len(n.branches) < suggested {
			n.branches = append(n.branches, string(b))
		}
		if t, ok := tagOf(name); ok && len(n.tags) < suggested {
			n.tags = append(n.tags, string(t))
		}
		return len(n.branches) < suggested || len(n.tags) < suggested
	})
	version.Sort(n.tags)
	return n, err
}
