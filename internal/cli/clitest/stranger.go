package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// StrangeURL is the address of a stranger's repository, and MachineSecret what lies in the home of who looks at it.
const (
	StrangeURL    = "https://git.example.com/acme/fleet"
	MachineSecret = "c4n4ry-of-the-machine"
)

// Stranger is somebody else's checkout beside the home of who looks at it.
type Stranger struct {
	t         *testing.T
	Dir, Home string
}

// FleetOfOne is a fleet file with one cluster.
const FleetOfOne = "apiVersion: causeway.io/v1alpha1\nkind: LocalFleet\nmetadata: {name: f}\nspec:\n  clusters: [{name: dev, hub: true}]\n"

// NewStranger makes a repository with a fleet file, and a home with a secret.
func NewStranger(t *testing.T) *Stranger {
	t.Helper()
	top := t.TempDir()
	s := &Stranger{t, filepath.Join(top, "checkout"), filepath.Join(top, "home")}
	s.Write(s.Home, map[string]string{"token": MachineSecret + "\n", "kept/token": MachineSecret + "\n"})
	s.Write(s.Dir, map[string]string{"causeway.yaml": FleetOfOne, "charts/README.md": "x"})
	Git(s.t, s.Dir, "init", "-q", "-b", "main")
	Git(s.t, s.Dir, "remote", "add", "origin", StrangeURL)
	s.Save()
	return s
}

// Write writes files below a folder, by their names.
func (s *Stranger) Write(dir string, files map[string]string) {
	s.t.Helper()
	Write(s.t, dir, files)
}

// Link makes a symbolic link.
func (s *Stranger) Link(to, name string) {
	s.t.Helper()
	if err := os.Symlink(to, name); err != nil {
		s.t.Fatal(err)
	}
}

// Git runs git in a folder, with an author.
func Git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// Save commits what the checkout has.
func (s *Stranger) Save() {
	s.t.Helper()
	Git(s.t, s.Dir, "add", "-A")
	Git(s.t, s.Dir, "commit", "-q", "-m", "change")
}
