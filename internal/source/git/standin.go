package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	plain "github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// StandIn is a bare repository of the engine's own that stands for one that
// the engine did not make: it has a copy of that one's references, and reads
// its objects where they lie. Git runs in the stand-in alone, so that nothing
// which the other repository configures is run or reached. It is safe for
// concurrent use.
type StandIn struct {
	command *Command
	dir     string

	mu    sync.Mutex
	place Place
	said  settings
	mark  string
}

// newStandIn prepares a stand-in in a folder of its own.
func newStandIn(c *Command, dir string) *StandIn { return &StandIn{command: c, dir: dir} }

// follow brings the stand-in to what the repository is now.
func (s *StandIn) follow(ctx context.Context, p Place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	mark := refsMark(p)
	if mark != "" && mark == s.mark && p == s.place && s.there() {
		return nil
	}
	said, err := s.command.settings(ctx, p.Common)
	if err != nil {
		return err
	}
	if err := sound(p); err != nil {
		return err
	}
	if err := s.make(p, said); err != nil {
		return err
	}
	s.place, s.said, s.mark = p, said, mark
	return nil
}

func (s *StandIn) make(p Place, said settings) error {
	if kind := said.last("extensions.refstorage"); kind != "" && kind != "files" {
		return gitops.Problemf(gitops.Invalid, "cannot read the repository in %s: its references are kept as %q", p.Common, kind).
			Do("run `git refs migrate --ref-format=files` in there, or make a clone with --ref-format=files")
	}
	if err := makeBare(s.dir, said.text()); err != nil {
		return unwritable(err)
	}
	var errs []error
	for _, name := range []string{"refs", "logs", "packed-refs", "shallow"} {
		errs = append(errs, os.RemoveAll(filepath.Join(s.dir, name)))
	}
	alternates := filepath.Join(s.dir, "objects", "info", "alternates")
	errs = append(errs, os.MkdirAll(filepath.Join(s.dir, "refs", "heads"), 0o700), os.MkdirAll(filepath.Join(s.dir, "info"), 0o700),
		os.WriteFile(alternates, []byte(quoted(filepath.Join(p.Common, "objects"))+"\n"), 0o600), s.trusted())
	if err := errors.Join(errs...); err != nil {
		return unwritable(err)
	}
	return s.copy(p)
}

// there reports whether the stand-in was made, and nobody removed it.
func (s *StandIn) there() bool {
	_, err := os.Stat(s.userConfig())
	return err == nil && IsRepository(s.dir)
}

// trusted writes the configuration for programs that look who owns the
// stand-in: on some file systems that is not who made it.
func (s *StandIn) trusted() error {
	return os.WriteFile(s.userConfig(), []byte(configuration+"[safe]\n\tdirectory = \""+escaped(s.dir)+"\"\n"), 0o600)
}

func (s *StandIn) userConfig() string { return filepath.Join(s.dir, "gitconfig") }

// serving has git trust the stand-in, and nothing else, as a remote.
func (s *StandIn) serving(with session) session {
	with.env = append(with.env[:len(with.env):len(with.env)], "GIT_CONFIG_GLOBAL="+s.userConfig())
	return with
}

// remotes are the addresses of the repository's remotes by name.
func (s *StandIn) remotes() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for key, urls := range s.said {
		name, ok := strings.CutPrefix(key, "remote.")
		if name, ok2 := strings.CutSuffix(name, ".url"); ok && ok2 {
			out[name] = urls[0]
		}
	}
	return out
}

// copy copies the references.
func (s *StandIn) copy(p Place) error {
	shared := []string{"packed-refs", "shallow", "refs", "logs/refs", "info/exclude", "info/attributes"}
	if err := s.copyAll(p.Common, shared); err != nil {
		return err
	}
	if info, err := os.Lstat(filepath.Join(p.Dir, "HEAD")); err != nil || !info.Mode().IsRegular() {
		return notThere(p.Dir, errors.Join(errors.New("its HEAD is no file"), err))
	}
	own := []string{"HEAD", "logs/HEAD"}
	if p.Dir != p.Common {
		own = append(own, "refs")
	}
	list, err := os.ReadDir(p.Dir)
	if err != nil {
		return notThere(p.Dir, err)
	}
	for _, e := range list {
		if pseudo.MatchString(e.Name()) {
			own = append(own, e.Name())
		}
	}
	return s.copyAll(p.Dir, own)
}

// pseudo are references beside HEAD, such as FETCH_HEAD.
var pseudo = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*_HEAD$`)

// copyAll copies files and folders, as far as they are there.
func (s *StandIn) copyAll(dir string, names []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return notThere(dir, err)
	}
	defer func() { _ = root.Close() }() // it was only read
	for _, name := range names {
		err := fs.WalkDir(root.FS(), name, func(name string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // or gone meanwhile
				return nil
			case err != nil:
				return err
			case name == "refs/replace":
				return fs.SkipDir // what is deployed is not replaced
			case e.Type().IsRegular() && !strings.HasSuffix(name, ".lock"):
				return s.copyFile(root, name)
			}
			return nil
		})
		if err != nil {
			return notThere(dir, fmt.Errorf("cannot read %s: %w", name, err))
		}
	}
	return nil
}

func (s *StandIn) copyFile(root *os.Root, name string) error {
	in, err := plain.Plain(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(in, outputLimit+1))
	if err != nil {
		return err
	}
	if len(data) > outputLimit {
		return fmt.Errorf("it has more than %d MiB", outputLimit>>20)
	}
	to := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return unwritable(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return unwritable(err)
	}
	return nil
}
