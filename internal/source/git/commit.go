package git

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Snapshot opens a commit that is in the store. The origin goes into messages.
func (s *Store) Snapshot(hash string, at gitops.Origin) (*gitops.Snapshot, error) {
	data, err := s.object(hash, "commit")
	if err != nil {
		return nil, s.judge(hash, err, ofContent)
	}
	root, commit, err := parseCommit(string(data))
	if err != nil {
		return nil, malformed("%s: %w", hash, err)
	}
	t := &Tree{store: s, root: root, commit: hash, at: at}
	// A store that lost the root folder is better noticed now than in the
	// middle of a render.
	if _, err := s.entries(root); err != nil {
		return nil, s.judge(hash, err, ofContent)
	}
	return &gitops.Snapshot{Revision: hash, Tree: t, Commit: commit}, nil
}

func parseCommit(text string) (tree string, c *gitops.Commit, err error) {
	head, body, _ := strings.Cut(text, "\n\n")
	c = &gitops.Commit{}
	subject, _, _ := strings.Cut(strings.TrimLeft(body, "\n"), "\n")
	c.Message = inShort(subject)
	// The first line of a name counts, as for Git, which takes any lines after its own.
	first, rest, _ := strings.Cut(head, "\n")
	if name, ok := strings.CutPrefix(first, "tree "); ok {
		tree = strings.Clone(name)
	}
	for l := range strings.SplitSeq(rest, "\n") {
		if author, ok := strings.CutPrefix(l, "author "); ok {
			c.Author, c.Date = parseAuthor(author)
			break
		}
	}
	if !IsHash(tree) {
		return "", nil, errors.New("it names no tree")
	}
	return tree, c, nil
}

// inShort is a text of a commit as it is shown, apart from the commit: as a part of
// that it would keep all of it in memory.
func inShort(text string) string { return strings.Clone(gitops.First(text, gitops.MostCommitText)) }

// parseAuthor reads "Name <mail> seconds zone".
func parseAuthor(s string) (string, time.Time) {
	i := strings.LastIndexByte(s, '>')
	if i < 0 {
		return inShort(s), time.Time{}
	}
	name := inShort(s[:i+1])
	first, _, _ := strings.Cut(strings.TrimSpace(s[i+1:]), " ")
	seconds, err := strconv.ParseInt(first, 10, 64)
	if err != nil || seconds < 0 || seconds > lastSecond {
		return name, time.Time{}
	}
	return name, time.Unix(seconds, 0).UTC()
}

// lastSecond is the end of the year 9999, in seconds since 1970: JSON has no later
// times, and Git takes any.
const lastSecond = 253402300799
