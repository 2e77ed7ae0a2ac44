package record

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// question is what a note asked of a snapshot.
type question uint8

const (
	content  question = iota // the digest of a file
	folder                   // the digest of a folder with all below it
	listing                  // the names and kinds of a folder's entries
	kind                     // file, folder or nothing
	revision                 // the resolved revision
)

type note struct {
	question question
	name     string
}

// answer is one note: a question with the answer it had.
type answer struct {
	note
	want string
}

// Log is the finished record of one snapshot. It is immutable.
type Log struct {
	// root is the digest of the whole tree; while it is the same, only the
	// revision can differ.
	root string
	// folder is where most of the answers lie, with its digest: while that
	// is the same, they need not be asked for.
	folder, digest string
	answers        []answer
}

// Log returns the record so far. The folder is the one that most reads are
// expected below.
func (t *Tree) Log(folder string) *Log {
	l := &Log{root: rootOf(t.snapshot), folder: folder, digest: ask(content, t.snapshot, folder)}
	t.mu.Lock()
	defer t.mu.Unlock()
	l.answers = make([]answer, 0, len(t.notes))
	for n, want := range t.notes {
		l.answers = append(l.answers, answer{n, want})
	}
	slices.SortFunc(l.answers, func(a, b answer) int {
		if a.question != b.question {
			return int(a.question) - int(b.question)
		}
		return strings.Compare(a.name, b.name)
	})
	return l
}

// rootOf is the digest of a whole tree, "" when it has none.
func rootOf(s *gitops.Snapshot) string {
	root, err := s.Tree.Digest(".")
	if err != nil {
		return ""
	}
	return root
}

// Len is the number of notes.
func (l *Log) Len() int { return len(l.answers) }

// Bytes estimates the memory of the log.
func (l *Log) Bytes() int64 {
	var n int64
	for _, a := range l.answers {
		n += int64(len(a.name)+len(a.want)) + 48
	}
	return n
}

// Holds reports whether every question has the same answer in a snapshot.
func (l *Log) Holds(s *gitops.Snapshot) bool {
	skip := func(answer) bool { return false }
	switch {
	case l.root != "" && l.root == rootOf(s):
		skip = func(a answer) bool { return a.question != revision }
	case !strings.HasPrefix(l.digest, failed) && l.digest == ask(content, s, l.folder):
		skip = func(a answer) bool { return a.question != revision && Below(a.name, l.folder) }
	}
	for _, a := range l.answers {
		if !skip(a) && ask(a.question, s, a.name) != a.want {
			return false
		}
	}
	return true
}

// Below reports whether a name is a folder or lies below it; everything lies below
// ".".
func Below(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// At returns the log for a snapshot in which it Holds, so that the next
// look at the same tree costs one comparison.
func (l *Log) At(s *gitops.Snapshot) *Log {
	root := rootOf(s)
	if root == l.root {
		return l
	}
	return &Log{root: root, folder: l.folder, digest: ask(content, s, l.folder), answers: l.answers}
}

// ask puts a question to a snapshot.
func ask(q question, s *gitops.Snapshot, name string) string {
	switch q {
	case content, folder:
		return digestOf(s.Tree.Digest(name))
	case listing:
		return listingOf(s.Tree.ReadDir(name))
	case kind:
		return kindOf(s.Tree.Stat(name))
	case revision:
		return s.Revision
	}
	return ""
}

func digestOf(digest string, err error) string {
	if err != nil {
		return failure(err)
	}
	return digest
}

func kindOf(info fs.FileInfo, err error) string {
	if err != nil {
		return failure(err)
	}
	if info.IsDir() {
		return "folder"
	}
	return "file"
}

func listingOf(entries []fs.DirEntry, err error) string {
	if err != nil {
		return failure(err)
	}
	h := blake3.New()
	for _, e := range entries {
		_, _ = h.WriteString(e.Name())
		_, _ = h.Write([]byte{0, byte(e.Type() >> 24)})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// failed begins an answer that tells nothing of the content.
const failed = "error: "

func failure(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "nothing"
	}
	return failed + err.Error()
}
