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

	"golang.org/x/sync/errgroup"
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

// main is the branch that Write appends to.
const mainBranch = "refs/heads/main"

// Head returns the commit that Write made last; empty when there is none.
func (s *Store) Head(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(ctx); err != nil {
		return "", err
	}
	return s.head(ctx), nil
}

func (s *Store) head(ctx context.Context) string {
	out, err := s.command.run(ctx, s.dir, session{}, nil, "rev-parse", "--verify", "--quiet", mainBranch)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Has tells whether a commit is in the store.
func (s *Store) Has(hash string) bool { return s.has(hash) }

// Write appends a commit with the content that fill gives. It returns the
// new commit, or the one before when the content is the same. check is asked
// at the end whether the content still holds; if not, nothing is kept.
func (s *Store) Write(ctx context.Context, at time.Time, message string, fill func(*Writer) error, check func() error) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(ctx); err != nil {
		return "", err
	}
	before := s.head(ctx)
	if before != "" && !s.holds(before) {
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
	if _, err := s.command.run(ctx, s.dir, session{}, nil, "update-ref", mainBranch, commit); err != nil {
		return "", s.unwritten(err)
	}
	s.tidy(ctx)
	return commit, nil
}

func (s *Store) importCommit(ctx context.Context, parent string, at time.Time, message string, fill func(*Writer) error) (commit, tree string, err error) {
	in, out := io.Pipe()
	g, ctx := errgroup.WithContext(ctx)
	var filled error
	g.Go(func() error {
		filled = stream(out, parent, at, message, fill)
		_ = out.CloseWithError(filled) // never fails
		return filled
	})
	var answer []byte
	g.Go(func() error {
		var err error
		answer, err = s.command.run(ctx, s.dir, session{}, in, "fast-import", "--quiet", "--force", "--done")
		_ = in.CloseWithError(errors.New("git has ended")) // never fails
		return err
	})
	err = g.Wait()
	if filled != nil && !strings.Contains(filled.Error(), "git has ended") {
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
