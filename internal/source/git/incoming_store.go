package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// incoming is a repository of the engine's own that git fetches into: it reads what the store has, and the store gets
// what came as a whole. So any number of fetches go on at a time, which git itself does not allow in one repository
// without all history, and none of them holds up who reads.
type incoming struct {
	store *Store
	dir   string
	// made is the store's count when it was made.
	made uint64
	// shallow are the commits without their history that the store had then.
	shallow map[string]bool
}

// errMadeAnew says that the store was made anew while something was fetched that builds on what it had.
var errMadeAnew = errors.New("the local copy is made again")

// outdated reports whether what came builds on what the store has lost.
func (in *incoming) outdated() bool {
	return in.store.damaged.Load() || in.store.made.Load() != in.made
}

// incomingName is how the folders begin in which they lie.
const incomingName = "incoming-"

// incoming makes the store ready, and a repository to fetch into; remove removes it.
func (s *Store) incoming(ctx context.Context) (*incoming, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.prepare(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.command.home, incomingName)
	if err != nil {
		return nil, unwritable(err)
	}
	in := &incoming{store: s, dir: dir, made: s.made.Load()}
	if err := in.prepare(ctx); err != nil {
		in.remove()
		return nil, s.unwritten(err)
	}
	return in, nil
}

func (in *incoming) remove() { _ = os.RemoveAll(in.dir) } // else the next start does, see NewCommand

// removeIncoming removes what a killed process left.
func removeIncoming(home string) {
	list, _ := os.ReadDir(home) // what is left only takes space
	for _, e := range list {
		if strings.HasPrefix(e.Name(), incomingName) {
			_ = os.RemoveAll(filepath.Join(home, e.Name()))
		}
	}
}

// ownHaves has git name to the server what the references here lead to, and not those that the store gets meanwhile: of
// the latter it would not know which are without their history.
const ownHaves = "\talternateRefsPrefixes = refs/none/\n"

// prepare has the repository know what the store knows.
func (in *incoming) prepare(ctx context.Context) error {
	refs, err := in.store.refs(ctx, "refs/")
	if err != nil {
		return err
	}
	if in.shallow, err = readShallow(in.store.dir); err != nil {
		return err
	}
	if err := makeBare(in.dir, bareConfig(sha1Format)+ownHaves); err != nil {
		return err
	}
	alternates := filepath.Join(in.dir, "objects", "info", "alternates")
	return errors.Join(writeShallow(in.dir, in.shallow),
		os.WriteFile(filepath.Join(in.dir, "packed-refs"), []byte(refs.text()), 0o600),
		os.WriteFile(alternates, []byte(quoted(filepath.Join(in.store.dir, "objects"))+"\n"), 0o600))
}

// accept moves what came into the store, then has names, texts for git
// update-ref, say what it is. What nothing names does not count, so it may be
// cut off anywhere.
func (s *Store) accept(ctx context.Context, in *incoming, names func(context.Context, *incoming) ([]string, error)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if in.outdated() {
		return errMadeAnew
	}
	if err := errors.Join(in.moveObjects(), in.moveShallow()); err != nil {
		return unwritable(err)
	}
	updates, err := names(ctx, in)
	if err != nil {
		return err
	}
	for _, text := range updates {
		if text == "" {
			continue
		}
		if _, err := s.command.run(ctx, s.dir, session{}, strings.NewReader(text), "update-ref", "--stdin"); err != nil {
			return s.unwritten(err)
		}
	}
	s.tidy(ctx)
	return nil
}

// moveObjects moves packs and loose objects, but for what is there already.
func (in *incoming) moveObjects() error {
	root := filepath.Join(in.dir, "objects")
	folders, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		name := folder.Name()
		if name != "pack" && (len(name) != 2 || !isHex(name)) { //nolint:mnd // digits that name a folder of loose objects
			continue
		}
		if err := moveAll(filepath.Join(root, name), filepath.Join(in.store.dir, "objects", name)); err != nil {
			return err
		}
	}
	return nil
}

// moveAll moves a folder's objects. The index of a pack comes last: git takes
// it for one that is there as a whole.
func moveAll(from, to string) error {
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	var names, indexes []string
	for _, e := range list {
		switch name := e.Name(); {
		case !e.Type().IsRegular():
		case filepath.Ext(name) == ".idx":
			indexes = append(indexes, name)
		case isHex(name), filepath.Ext(name) == ".pack", filepath.Ext(name) == ".rev":
			names = append(names, name)
		}
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, name := range append(names, indexes...) {
		if _, err := os.Lstat(filepath.Join(to, name)); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// moveShallow tells the store what came without its history, and what has it
// now. Others may have told it of theirs meanwhile.
func (in *incoming) moveShallow() error {
	came, err := readShallow(in.dir)
	if err != nil {
		return err
	}
	if maps.Equal(came, in.shallow) {
		return nil
	}
	now, err := readShallow(in.store.dir)
	if err != nil {
		return err
	}
	for hash := range came {
		if !in.shallow[hash] {
			now[hash] = true
		}
	}
	for hash := range in.shallow {
		if !came[hash] {
			delete(now, hash)
		}
	}
	return writeShallow(in.store.dir, now)
}

// readShallow are the commits of a repository whose history is not there.
func readShallow(dir string) (map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, "shallow"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := map[string]bool{}
	for _, hash := range strings.Fields(string(data)) {
		all[hash] = true
	}
	return all, nil
}

// writeShallow is seen by who reads the repository as a whole.
func writeShallow(dir string, all map[string]bool) error {
	name := filepath.Join(dir, "shallow")
	if len(all) == 0 {
		return os.RemoveAll(name)
	}
	text := strings.Join(slices.Sorted(maps.Keys(all)), "\n") + "\n"
	next := name + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, name)
}
