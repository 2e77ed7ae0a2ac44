package git

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Vault holds trees of files by their object names, whatever they come from,
// and no history. Its folder may lie in a checkout of somebody else: git is
// never run in it, but in a repository of the engine's own that keeps its
// objects there. Reading it changes nothing; of those that write the caller
// lets in one at a time.
type Vault struct {
	command *Command
	dir     string
	own     string
	store   *Store
	open    func() error

	mu    sync.Mutex
	sound bool // its objects were looked at
}

// VaultLimits bound one tree that goes into a Vault; trees of Git
// repositories are not bounded, as they are never held in memory.
type VaultLimits struct {
	Bytes int64
	Files int
}

// NewVault opens the vault at a folder, which the first Take makes.
func NewVault(c *Command, dir string, memory *Objects, limit int64) *Vault {
	with := *c
	with.env = append(slices.Clone(c.env), "GIT_OBJECT_DIRECTORY="+filepath.Join(dir, "objects"))
	v := &Vault{command: &with, dir: dir, own: filepath.Join(c.home, "vault-"+rand.Text())}
	v.store = reading(&with, v.own, dir, memory, limit)
	v.open = sync.OnceValue(func() error { return makeBare(v.own, bareConfig(sha1Format)) })
	return v
}

// Close ends the processes that read the vault.
func (v *Vault) Close() {
	v.store.Close()
	_ = os.RemoveAll(v.own) // nothing to be done about a leftover in a folder of temporary things
}

// ready reports whether the vault has objects at all, and only its own.
func (v *Vault) ready() (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if info, err := os.Lstat(v.dir); err == nil && !info.IsDir() {
		return false, borrowed(filepath.Dir(v.dir), v.dir)
	}
	objects := filepath.Join(v.dir, "objects")
	if _, err := os.Lstat(objects); err != nil {
		v.sound = false
		return false, unlessAbsent(err)
	}
	if v.sound {
		return true, nil
	}
	if err := ownObjects(v.dir, objects); err != nil {
		return false, err
	}
	if err := v.open(); err != nil {
		return false, unwritable(err)
	}
	v.sound = true
	return true, nil
}

func unlessAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Has reports whether a tree is there.
func (v *Vault) Has(tree string) bool {
	if ok, err := v.ready(); !ok || err != nil {
		return false
	}
	kind, _, err := v.store.objects.size(tree)
	return err == nil && kind == "tree"
}

// Tree opens a tree; the origin goes into messages.
func (v *Vault) Tree(tree string, at gitops.Origin) (*Tree, error) {
	if _, err := v.store.entries(tree); err != nil {
		return nil, err
	}
	return &Tree{store: v.store, root: tree, at: at}, nil
}

// Take copies a tree into the vault and returns its object name, which says
// all of its content.
func (v *Vault) Take(ctx context.Context, tree gitops.Tree, l VaultLimits) (string, error) {
	if err := v.prepare(); err != nil {
		return "", err
	}
	return v.copy(ctx, tree, l)
}

// emptyTree is the object name of a folder without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// kept are the references that hold trees while git removes or checks objects.
const kept = "refs/trees/"

func (v *Vault) copy(ctx context.Context, tree gitops.Tree, l VaultLimits) (string, error) {
	if t, ok := tree.(*Tree); ok {
		if v.Has(t.root) {
			return t.root, nil
		}
		return t.root, v.transfer(ctx, t)
	}
	fill := func(w *Writer) error {
		return (&filler{tree: tree, out: w, left: l, most: l.Files}).folder(".", 0)
	}
	into := &Store{command: v.command, dir: v.own, foreign: v.dir}
	_, name, err := into.importCommit(ctx, "", time.Unix(0, 0), "content", fill)
	if err != nil {
		return "", err
	}
	if _, err = v.git(ctx, "update-ref", "-d", "refs/causeway/next"); err != nil {
		return "", v.unwritable(err)
	}
	if name == "" || name == emptyTree {
		return "", gitops.Problemf(gitops.Invalid, "there are no files in it")
	}
	return name, nil
}

// prepare makes the vault where it is not there yet.
func (v *Vault) prepare() error {
	ok, err := v.ready()
	if ok || err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(v.dir, "objects", "pack"), 0o755); err != nil { //nolint:gosec // it is a part of the user's checkout
		return v.unwritable(err)
	}
	if err := v.open(); err != nil {
		return v.unwritable(err)
	}
	return nil
}

func (v *Vault) git(ctx context.Context, args ...string) ([]byte, error) {
	return v.command.run(ctx, v.own, session{}, nil, args...)
}

func (v *Vault) unwritable(err error) error {
	return (&gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("cannot write into %s: %v", v.dir, err), Err: err}).
		Do("free disk space, or name a folder that can be written")
}

// transfer copies the objects of a tree from one repository to the other. Of
// two errors the one that came first is told: the other command fails for want
// of its pipe.
func (v *Vault) transfer(ctx context.Context, t *Tree) error {
	var both sync.WaitGroup
	var first sync.Once
	var cause error
	in, out := io.Pipe()
	from := t.store
	both.Go(func() {
		err := crew.Safely(func() error {
			return from.command.stream(ctx, from.dir, strings.NewReader(t.root+"\n"), out, &bounded{limit: messageLimit, cut: true}, "pack-objects", "--revs", "--stdout", "--quiet")
		})
		if err != nil {
			first.Do(func() { cause = fmt.Errorf("cannot read the repository's objects: %w", err) })
		}
		_ = out.CloseWithError(err) // never fails
	})
	both.Go(func() {
		err := crew.Safely(func() error {
			_, err := v.command.run(ctx, v.own, session{}, in, "index-pack", "--stdin", "--strict", "--fix-thin")
			return err
		})
		if err != nil {
			first.Do(func() { cause = v.unwritable(err) })
		}
		_ = in.CloseWithError(errors.New("git has ended")) // never fails
	})
	both.Wait()
	return cause
}

// stream runs git with output of any length. What it says goes to message,
// which may be the same as out.
func (c *Command) stream(ctx context.Context, dir string, in io.Reader, out io.Writer, message *bounded, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	cmd := c.prepare(ctx, dir, session{}, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, message
	err := cmd.Run()
	if err == nil {
		return nil
	}
	f := &failure{err: err, text: strings.TrimSpace(message.whole())}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f.timeout = c.timeout
	}
	if ctx.Err() != nil {
		f.err = ctx.Err()
	}
	return f
}

// Keep drops all trees but those named.
func (v *Vault) Keep(ctx context.Context, trees map[string]bool) error {
	if ok, err := v.ready(); !ok || err != nil {
		return err // nothing was ever taken, as a rule
	}
	var keep []string
	for tree := range trees {
		if v.Has(tree) {
			keep = append(keep, tree)
		}
	}
	if err := v.hold(keep); err != nil {
		return err
	}
	for _, args := range [][]string{{"repack", "-a", "-d", "-q"}, {"prune", "--expire=now"}} {
		if _, err := v.git(ctx, args...); err != nil {
			return v.unwritable(err)
		}
	}
	return nil
}

// hold makes references of trees, for commands of git that start from those.
func (v *Vault) hold(trees []string) error {
	slices.Sort(trees)
	var b strings.Builder
	for _, tree := range slices.Compact(trees) {
		if IsHash(tree) {
			fmt.Fprintf(&b, "%s %s%s\n", tree, kept, tree)
		}
	}
	if err := os.WriteFile(filepath.Join(v.own, "packed-refs"), []byte(b.String()), 0o600); err != nil {
		return unwritable(err)
	}
	return nil
}

// objectNames finds the names of objects in what git says.
var objectNames = regexp.MustCompile(`[0-9a-f]{40,64}`)

// checkLimit bounds what a check of all objects says, in bytes: about 200,000
// objects that are damaged or missing.
var checkLimit = 16 << 20

// Damaged returns those of the trees that are not whole, after all objects
// were read and compared with their names: all of them, when what is damaged
// has no name or there is too much of it.
func (v *Vault) Damaged(ctx context.Context, trees []string) ([]string, error) {
	if ok, err := v.ready(); !ok || err != nil {
		return trees, err
	}
	if err := v.hold(slices.Clone(trees)); err != nil {
		return nil, err
	}
	bad, known, err := v.check(ctx)
	if err != nil {
		return nil, err
	}
	if !known {
		return trees, nil
	}
	var damaged []string
	for _, tree := range trees {
		out, err := v.git(ctx, "rev-list", "--objects", tree)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || holdsAny(out, bad) {
			damaged = append(damaged, tree)
		}
	}
	if bad != nil && len(damaged) == 0 {
		return trees, nil // what is damaged has no name; nothing can be trusted
	}
	return damaged, nil
}

// check names the objects that are damaged or missing; nil when none is. They
// are not known when git says more than is kept.
func (v *Vault) check(ctx context.Context) (bad map[string]bool, known bool, err error) {
	said := &bounded{limit: checkLimit, cut: true}
	err = v.command.stream(ctx, v.own, nil, said, said, "fsck", "--full", "--no-dangling", "--no-reflogs")
	if err == nil {
		return nil, true, nil
	}
	var f *failure
	if !errors.As(err, &f) || f.timeout > 0 || !f.exited() {
		return nil, false, err
	}
	bad = map[string]bool{}
	for _, name := range objectNames.FindAllString(said.String(), -1) {
		bad[name] = true
	}
	return bad, said.Len() < said.limit, nil
}

func holdsAny(list []byte, names map[string]bool) bool {
	for line := range bytes.Lines(list) {
		name, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		if names[string(name)] {
			return true
		}
	}
	return false
}

// filler writes the files of any tree. What symbolic links lead to is
// written in their place.
type filler struct {
	tree gitops.Tree
	out  *Writer
	left VaultLimits
	// folders were looked into, of as many as there may be files.
	folders, most int
}

// maxFolders is how deep folders may lie; only links make them deeper.
const maxFolders = 100

func (f *filler) folder(dir string, depth int) error {
	if depth > maxFolders {
		return gitops.Problemf(gitops.Invalid, "%s has more than %d folders in one another", dir, maxFolders)
	}
	if f.folders++; f.folders > f.most { // they take time as files do, and Git keeps those that hold nothing
		return beyondTree(dir)
	}
	list, err := f.tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		name := path.Join(dir, e.Name())
		info, err := f.tree.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a link to nothing
		case err != nil:
			return err
		case info.IsDir():
			err = f.folder(name, depth+1)
		default:
			err = f.file(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func beyondTree(name string) error {
	return gitops.Problemf(gitops.Invalid, "it is over the limit of one tree, at %s", name).Do("mirror something smaller")
}

func (f *filler) file(name string) error {
	data, err := f.tree.ReadFile(name)
	if err != nil {
		return err
	}
	f.left.Files--
	f.left.Bytes -= int64(len(data))
	if f.left.Files < 0 || f.left.Bytes < 0 {
		return beyondTree(name)
	}
	return f.out.File(name, false, int64(len(data)), bytes.NewReader(data))
}
