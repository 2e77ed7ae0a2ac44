package main

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/causeway-gitops/causeway/test/leash"
)

// look is something that tests asked the system for, and what it was.
type look struct {
	Kind lookKind `json:"kind"`
	// Name is a variable, or a path: within the repository and beside it as seen from its root, else from that of the system.
	Name string `json:"name"`
	Was  string `json:"was"`
}

// lookKind is what was asked for, as the package testing writes it.
type lookKind string

const (
	getenv lookKind = "getenv"
	open   lookKind = "open"
	stat   lookKind = "stat"
	chdir  lookKind = "chdir" // is kept of nothing: what comes after it is seen from there
)

// recorder is the first argument of this program where it becomes a program of tests that writes what it looks at.
const recorder = "record-looks"

// recording is how go test is told to run programs of tests by this one.
func recording(folder string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("-exec='%s' %s '%s' '%s'", self, recorder, folder, root), nil
}

// record makes this process the program of tests: args are the folder for what it looks at, the root of the repository, and
// the program with its arguments. It only returns with an error.
func record(args []string) error {
	folder, root, program := args[0], args[1], args[2:]
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	pkg, err := filepath.Rel(root, here)
	if err != nil {
		return err
	}
	return syscall.Exec(program[0], slices.Insert(program, 1, "-test.testlogfile="+looksFile(folder, pkg)), os.Environ()) //nolint:gosec // what go test runs
}

func looksFile(folder, pkg string) string {
	return filepath.Join(folder, url.PathEscape(filepath.ToSlash(pkg))+".looks")
}

// readLooks reads what the tests of a package looked at, as it is now. It fails where that does not tell what they depend on.
func readLooks(folder, pkg string, began time.Time) ([]look, error) {
	file, err := os.Open(looksFile(folder, pkg))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := newSight(pkg, began)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := s.line(lines.Text()); err != nil {
			return nil, err
		}
	}
	return s.looks, lines.Err()
}

// sight gathers looks.
type sight struct {
	root, here string
	passing    []string // folders of which nothing is kept
	began      time.Time
	sums       *sums
	seen       map[look]bool
	looks      []look
}

func newSight(pkg string, began time.Time) (*sight, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	passing := []string{os.TempDir(), cache, "/proc", "/sys", "/dev"}
	return &sight{root: root, here: filepath.Join(root, pkg), passing: passing, began: began, sums: newSums(), seen: map[look]bool{}}, nil
}

// reading are programs that read files of the repository, of which nothing is told.
var reading = []string{"go", "bash", "make", "npm", "npx", "node", "terraform"}

func (s *sight) line(line string) error {
	kind, name, _ := strings.Cut(line, " ")
	switch lookKind(kind) {
	case getenv:
		if !slices.Contains(ofTheRun, name) {
			s.add(getenv, name)
		}
		return nil
	case open:
		if program := filepath.Base(name); slices.Contains(reading, program) {
			return fmt.Errorf("the tests run %s, which may read anything", program)
		}
		return s.path(open, name)
	case stat:
		return s.path(stat, name)
	case chdir:
		s.here = name
		return nil
	case "#":
		return nil
	}
	return fmt.Errorf("what the tests looked at cannot be read: %q", line)
}

func (s *sight) path(kind lookKind, name string) error {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.here, name)
	}
	name, passing := s.place(filepath.Clean(name))
	if passing {
		return nil
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() && info.ModTime().After(s.began) {
		return fmt.Errorf("%s was changed meanwhile", name)
	}
	s.add(kind, name)
	return nil
}

// place is a path as a look has it, and whether it is of what goes with the run. The repository and what it is tested with,
// which is beside it, may be in a temporary folder as well.
func (s *sight) place(name string) (string, bool) {
	if below(s.root, name) || below(filepath.Join(filepath.Dir(s.root), beside), name) {
		rel, err := filepath.Rel(s.root, name)
		return rel, err != nil
	}
	return name, slices.ContainsFunc(s.passing, func(folder string) bool { return below(folder, name) })
}

// beside is the folder beside the repository that tests read.
const beside = "shared"

func below(folder, name string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && filepath.IsLocal(rel)
}

func (s *sight) add(kind lookKind, name string) {
	l := look{Kind: kind, Name: name}
	if s.seen[l] {
		return
	}
	s.seen[l] = true
	l.Was = l.now(s.sums)
	s.looks = append(s.looks, l)
}

// ofTheRun are variables that are others at each run, and name what goes with it.
var ofTheRun = []string{leash.Temporary, leash.GoTemporary, leash.Variable, "PWD", "OLDPWD"}

// now is what somebody who looks sees now.
func (l look) now(s *sums) string {
	if l.Kind == getenv {
		value, ok := os.LookupEnv(l.Name)
		return fmt.Sprintf("%v %s", ok, sumOfText(value))
	}
	return s.of(l.Name)
}
