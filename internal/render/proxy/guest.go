package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Talk asks the Host a question.
type Talk func(Call) (Reply, []byte, error)

// Guest asks a Host. It is safe for concurrent use, one task after the other.
type Guest struct {
	mu   sync.Mutex
	talk Talk
	// broken is why the Host cannot be asked any more.
	broken error
	// known are the answers that came without being asked for; bytes are those of
	// texts of files in them, of which each is given once.
	known map[Call]known
	bytes int
}

// known is an answer.
type known struct {
	reply Reply
	text  []byte
}

// mostTexts bounds the texts that wait to be asked for, in bytes.
const mostTexts = 4 << 20

var (
	_ Snapshots = (*Guest)(nil)
	_ Files     = (*Guest)(nil)

	_ source.Programs = (*Guest)(nil)
)

// NewGuest asks by a talk.
func NewGuest(talk Talk) *Guest { return &Guest{talk: talk} }

// Broken is why the Host could not be asked any more; nil as long as it can.
func (g *Guest) Broken() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken
}

// Open are the snapshots that a task begins with, and what is told with it. What an
// earlier one had is not known any more.
func (g *Guest) Open(all []Snapshot, told []Known, texts []byte) []*gitops.Snapshot {
	g.mu.Lock()
	g.known, g.bytes = map[Call]known{}, 0
	for _, k := range told {
		n := max(0, min(k.Length, len(texts)))
		g.known[k.Call] = known{k.Reply, texts[:n:n]}
		g.learn(k.Call, k.Reply, texts[:n:n])
		texts = texts[n:]
	}
	g.mu.Unlock()
	out := make([]*gitops.Snapshot, 0, len(all))
	for _, s := range all {
		out = append(out, g.open(s))
	}
	return out
}

func (g *Guest) open(s Snapshot) *gitops.Snapshot {
	return &gitops.Snapshot{Ref: s.Ref, Revision: s.Revision, Tree: &tree{guest: g, number: s.Tree}}
}

// Snapshot implements Snapshots.
func (g *Guest) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	r, _, err := g.ask(Call{Op: opSnapshot, Ref: &ref})
	if err != nil {
		return nil, err
	}
	if r.Snapshot == nil {
		return nil, errReply
	}
	return g.open(*r.Snapshot), nil
}

// File implements Files.
func (g *Guest) File(_ context.Context, url string, rule source.Rule) ([]byte, error) {
	_, text, err := g.ask(Call{Op: opFile, Name: url, Rule: &rule})
	return text, err
}

// Run implements source.Programs, for trees that this Guest opened.
func (g *Guest) Run(_ context.Context, j source.Job) (source.Printed, error) {
	t, ok := j.Tree.(*tree)
	if !ok {
		return source.Printed{}, errTree
	}
	r, text, err := g.ask(Call{Op: opRun, Tree: t.number, Job: &j})
	return source.Printed{Output: text, Warnings: r.Warnings}, err
}

var errTree = errors.New("the tree is none of the engine's")

var errReply = errors.New("the answer is none to what was asked")

func (g *Guest) ask(c Call) (Reply, []byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.broken != nil {
		return Reply{}, nil, g.broken
	}
	if err := c.check(); err != nil {
		return Reply{}, nil, err // a long question costs the Host as much as the Guest
	}
	if k, ok := g.known[c]; ok {
		if c.Op == opReadFile {
			delete(g.known, c)
			g.bytes -= len(k.text)
		}
		return k.reply, k.text, k.reply.Failure.told()
	}
	r, body, err := g.talk(c)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		g.broken = err
		return Reply{}, nil, err
	}
	if r.Failure != nil {
		return Reply{Warnings: r.Warnings}, nil, r.Failure.told()
	}
	g.learn(c, r, body)
	return r, body, nil
}

// learn keeps what came along with the answer about a small file.
func (g *Guest) learn(c Call, r Reply, text []byte) {
	if c.Op != opStat || !r.Whole || g.known == nil || g.bytes+len(text) > mostTexts {
		return
	}
	digest, file := Call{Op: opDigest, Tree: c.Tree, Name: c.Name}, Call{Op: opReadFile, Tree: c.Tree, Name: c.Name}
	g.known[digest], g.known[file] = known{reply: Reply{Digest: r.Digest}}, known{text: text}
	g.bytes += len(text)
}

// tree is a tree that the Host has.
type tree struct {
	guest  *Guest
	number int
}

var _ gitops.Tree = (*tree)(nil)

func (t *tree) ask(what op, name string) (Reply, []byte, error) {
	return t.guest.ask(Call{Op: what, Tree: t.number, Name: name})
}

// Stat implements fs.StatFS.
func (t *tree) Stat(name string) (fs.FileInfo, error) {
	r, _, err := t.ask(opStat, name)
	if err != nil {
		return nil, err
	}
	if r.Entry == nil {
		return nil, errReply
	}
	return *r.Entry, nil
}

// ReadDir implements fs.ReadDirFS.
func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) {
	_, text, err := t.ask(opReadDir, name)
	if err != nil {
		return nil, err
	}
	entries, ok := readList(text)
	if !ok {
		return nil, errReply
	}
	out := make([]fs.DirEntry, 0, len(entries))
	for _, e := range entries {
		out = append(out, listed{e, t, name})
	}
	return out, nil
}

// ReadFile implements fs.ReadFileFS.
func (t *tree) ReadFile(name string) ([]byte, error) {
	_, text, err := t.ask(opReadFile, name)
	return text, err
}

// Digest implements gitops.Tree.
func (t *tree) Digest(name string) (string, error) {
	r, _, err := t.ask(opDigest, name)
	return r.Digest, err
}

// Open implements fs.FS.
func (t *tree) Open(name string) (fs.File, error) {
	info, err := t.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		entries, err := t.ReadDir(name)
		return &folder{info: info, left: entries}, err
	}
	text, err := t.ReadFile(name)
	return &file{Reader: bytes.NewReader(text), info: info}, err
}
