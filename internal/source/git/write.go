package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// Writer receives the content of a commit that Write makes.
type Writer struct {
	out *bufio.Writer
}

// Clear starts from an empty folder instead of the commit before.
func (w *Writer) Clear() error {
	_, err := w.out.WriteString("deleteall\n")
	return err
}

// Delete removes a file or folder.
func (w *Writer) Delete(name string) error {
	_, err := fmt.Fprintf(w.out, "D %s\n", quoted(name))
	return err
}

// File writes a file of exactly size bytes. A reader that has fewer is an
// error, and nothing of the commit is kept.
func (w *Writer) File(name string, executable bool, size int64, content io.Reader) error {
	mode := "100644"
	if executable {
		mode = "100755"
	}
	return w.inline(mode, name, size, content)
}

// Link writes a symbolic link.
func (w *Writer) Link(name, target string) error {
	return w.inline("120000", name, int64(len(target)), strings.NewReader(target))
}

func (w *Writer) inline(mode, name string, size int64, content io.Reader) error {
	if _, err := fmt.Fprintf(w.out, "M %s inline %s\ndata %d\n", mode, quoted(name), size); err != nil {
		return err
	}
	n, err := io.Copy(w.out, io.LimitReader(content, size))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return w.out.WriteByte('\n')
}

// quoted writes a path in the C form that git reads.
func quoted(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// mainBranch keeps all commits that Write made. Each of them stands alone, so
// that its name tells of its content and time and of nothing that was before
// it; the branch has the newest as the second parent of its tip.
const mainBranch = "refs/heads/main"

// Head returns the commit that Write made last; empty when there is none.
func (s *Store) Head(ctx context.Context) (string, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.prepare(); err != nil {
		return "", err
	}
	return s.head(ctx), nil
}

func (s *Store) head(ctx context.Context) string {
	if newest := s.revision(ctx, mainBranch+"^2"); newest != "" {
		return newest
	}
	return s.revision(ctx, mainBranch) // the first one
}

func (s *Store) revision(ctx context.Context, name string) string {
	out, err := s.command.run(ctx, s.dir, session{}, nil, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// alone makes the commit of a tree that depends on nothing but the tree, the
// time and the message, and the commit that keeps it on the branch.
func (s *Store) alone(ctx context.Context, tree string, at time.Time, message string) (commit, tip string, err error) {
	if commit, err = s.commitTree(ctx, at, message, tree); err != nil {
		return "", "", err
	}
	before := s.revision(ctx, mainBranch)
	if before == "" || before == commit {
		return commit, commit, nil
	}
	tip, err = s.commitTree(ctx, at, message, tree, "-p", before, "-p", commit)
	return commit, tip, err
}

func (s *Store) commitTree(ctx context.Context, at time.Time, message string, args ...string) (string, error) {
	date := fmt.Sprintf("%d +0000", at.Unix())
	var as session
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		as.env = append(as.env, "GIT_"+role+"_NAME=Causeway", "GIT_"+role+"_EMAIL=causeway@localhost", "GIT_"+role+"_DATE=@"+date)
	}
	out, err := s.command.run(ctx, s.dir, as, strings.NewReader(message), append([]string{"commit-tree"}, args...)...)
	if err != nil {
		return "", s.unwritten(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Has reports whether a commit is in the store.
func (s *Store) Has(ctx context.Context, hash string) bool { return s.has(ctx, hash) }

// Write makes a commit of the content that fill gives. It returns the new
// commit, or the one before when the content is the same; the same content, at
// the same time and with the same message, is the same commit in every store.
// check is asked at the end whether the content still holds; if not, nothing
// is kept.
func (s *Store) Write(ctx context.Context, at time.Time, message string, fill func(*Writer) error, check func() error) (string, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.prepare(); err != nil {
		return "", err
	}
	before := s.head(ctx)
	if before != "" && s.lacks(before) {
		return "", s.broken(errMissing)
	}
	commit, tree, err := s.importCommit(ctx, before, at, message, fill)
	if err != nil {
		return "", err
	}
	if err := check(); err != nil {
		return "", err
	}
	if before != "" {
		if data, err := s.object(before, "commit"); err == nil && bytes.HasPrefix(data, []byte("tree "+tree+"\n")) {
			return before, nil
		}
	}
	tip := commit
	if tree != "" {
		if commit, tip, err = s.alone(ctx, tree, at, message); err != nil {
			return "", err
		}
	}
	if _, err := s.command.run(ctx, s.dir, session{}, nil, "update-ref", mainBranch, tip); err != nil {
		return "", s.unwritten(err)
	}
	s.tidy(ctx)
	return commit, nil
}

// errEnded is what a writer gets whose reader, git, is gone; why is git's to say.
var errEnded = errors.New("git has ended")

func (s *Store) importCommit(ctx context.Context, parent string, at time.Time, message string, fill func(*Writer) error) (commit, tree string, err error) {
	in, out := io.Pipe()
	g, ctx := crew.WithContext(ctx)
	var filled error
	g.Go(func() error {
		// Also a panic closes the pipe: the other end would wait for ever.
		filled = crew.Safely(func() error { return stream(out, parent, at, message, fill) })
		_ = out.CloseWithError(filled) // never fails
		return filled
	})
	var answer []byte
	g.Go(func() error {
		err := crew.Safely(func() (err error) {
			answer, err = s.command.run(ctx, s.dir, session{}, in, "fast-import", "--quiet", "--force", "--done")
			return err
		})
		_ = in.CloseWithError(errEnded) // never fails
		return err
	})
	err = g.Wait()
	if filled != nil && !errors.Is(filled, errEnded) {
		return "", "", filled
	}
	if err != nil {
		removeCrashes(s.dir)
		return "", "", s.unwritten(err)
	}
	lines := strings.SplitN(string(answer), "\n", 3)
	if len(lines) < 2 || !IsHash(lines[0]) {
		return "", "", fmt.Errorf("cannot commit the folder: git answered %q", answer)
	}
	words := strings.Fields(lines[1])
	if len(words) < 3 {
		return lines[0], "", nil // an empty folder has no tree to name
	}
	return lines[0], words[2], nil
}

func stream(to io.Writer, parent string, at time.Time, message string, fill func(*Writer) error) error {
	w := &Writer{out: bufio.NewWriterSize(to, 64<<10)}
	fmt.Fprintf(w.out, "commit refs/causeway/next\nmark :1\ncommitter Causeway <causeway@localhost> %d +0000\ndata %d\n%s\n", at.Unix(), len(message), message)
	if parent != "" {
		fmt.Fprintf(w.out, "from %s\n", parent)
	}
	if err := fill(w); err != nil {
		return err
	}
	fmt.Fprint(w.out, "\nget-mark :1\nls :1 \"\"\ndone\n")
	return w.out.Flush()
}
