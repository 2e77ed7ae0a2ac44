package plugin

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/walk"
)

// TestJobsOfStrangers: what runs is what the operator installed, in a copy of the
// repository, whatever a worker asks for.
func TestJobsOfStrangers(t *testing.T) {
	r := NewRunner(Options{Plugins: []Plugin{shell("p", "cat in.txt; echo $ARGOCD_ENV_A")}, TempDir: t.TempDir()})
	good := source.Job{Plugin: "p", Tree: treetest.Snapshot(origin, revision, repository()).Tree, Origin: gitops.Origin{RepoURL: origin}, Path: "apps/web", Roots: []string{"."}, Env: []string{"ARGOCD_ENV_A=1"}}
	if got, err := r.Run(t.Context(), good); err != nil || string(got.Output) != "web1\n" {
		t.Fatalf("got %q, %v", got.Output, err)
	}
	for name, tc := range map[string]struct {
		reason string
		change func(*source.Job)
		want   string
	}{
		"Plugin":   {"one that is not installed", func(j *source.Job) { j.Plugin = strings.Repeat("q", 1000) }, "cannot find plugin qqq"},
		"Variable": {"a variable by which a program runs other code", func(j *source.Job) { j.Env = []string{"LD_PRELOAD=./x.so"} }, "cannot give plugin p the variable LD_PRELOAD"},
		"Path":     {"a folder elsewhere", func(j *source.Job) { j.Path = "../../etc" }, "a path is none inside a repository"},
		"Absolute": {"a folder of the machine", func(j *source.Job) { j.Path = "/etc" }, "a path is none inside a repository"},
		"Root":     {"files elsewhere", func(j *source.Job) { j.Roots = []string{"apps/../.."} }, "a path is none inside a repository"},
		"Finding":  {"a question that it has no command for", func(j *source.Job) { j.Finding = true }, "it has no command for that"},
		"Long":     {"more than any program can be given", func(j *source.Job) { j.Env = []string{"ARGOCD_ENV_A=" + strings.Repeat("x", 3<<20)} }, "have more than 1024 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			j := good
			tc.change(&j)
			got, err := r.Run(t.Context(), j)
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 || len(got.Output) > 0 {
				t.Errorf("%s: got %q, %v", tc.reason, got.Output, err)
			}
		})
	}
}

// chain is a tree of folders in one another.
type chain struct {
	gitops.Tree

	deep int
}

func (chain) Digest(name string) (string, error) { return name, nil }

func (chain) Stat(string) (fs.FileInfo, error) { return fstest.MapFS{"d/x": {}}.Stat("d") }

func (c chain) ReadDir(name string) ([]fs.DirEntry, error) {
	if strings.Count(name, "/") >= c.deep {
		return nil, nil
	}
	return fstest.MapFS{"d/x": {}}.ReadDir(".")
}

// TestDeepFoldersAreNotGiven: what removes them needs an open file for each of their levels.
func TestDeepFoldersAreNotGiven(t *testing.T) {
	dir := t.TempDir()
	r := NewRunner(Options{Plugins: []Plugin{shell("p", "true")}, TempDir: dir})
	for deep, want := range map[int]bool{walk.MaxDepth - 2: true, 3000: false} {
		_, err := r.Run(t.Context(), source.Job{Plugin: "p", Tree: chain{deep: deep}, Path: ".", Roots: []string{"."}})
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "more than 100 folders deep") {
			t.Errorf("%d levels: %v", deep, err)
		}
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
}

// flaky is a tree of which one folder cannot be listed now.
type flaky struct {
	gitops.Tree

	folder string
}

func (f flaky) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EMFILE}
	}
	return f.Tree.ReadDir(name)
}

// TestUnsureIsNotNo: what cannot tell whether a plugin takes a source must not have it
// rendered as something else, and what the plugin made deleted.
func TestUnsureIsNotNo(t *testing.T) {
	named, found, killed, odd := shell("named", "true"), shell("found", "true"), shell("killed", "true"), shell("odd", "true")
	named.Discover.FileName = "s*/s1.cue"
	found.Discover.Find.Glob = "sub/**/s1.cue"
	killed.Discover.Find.Command = Command{Command: []string{"sh", "-c", "kill -9 $$"}}
	odd.Discover.FileName = "in.txt/*"
	s := treetest.Snapshot(origin, revision, repository())
	broken := *s
	broken.Tree = flaky{s.Tree, "apps/web/sub"}
	for name, tc := range map[string]struct {
		reason string
		plugin Plugin
		in     *gitops.Snapshot
		unsure bool
	}{
		"Named":  {"a folder that cannot be listed", named, &broken, true},
		"Found":  {"nor can it be here", found, &broken, true},
		"Killed": {"a command that was killed", killed, s, true},
		"File":   {"a file is no folder, which is sure", odd, s, false},
	} {
		t.Run(name, func(t *testing.T) {
			taken, err := renderer(t, Options{Plugins: []Plugin{tc.plugin}}).Discover(t.Context(), at(t, tc.in, nil))
			if taken || (err != nil) != tc.unsure {
				t.Errorf("%s: taken is %v, %v", tc.reason, taken, err)
			}
		})
	}
}
