package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == recorder { // as main does
		fmt.Fprintln(os.Stderr, record(os.Args[2:]))
		os.Exit(exitFailed)
	}
	os.Exit(m.Run())
}

// module is one whose tests write down that they ran.
var module = map[string]string{
	"project/go.mod":            "module " + modulePath + "\n\ngo 1.25\n",
	"project/go.sum":            "",
	"project/low/low.go":        "package low\n\nconst X = 1\n",
	"project/mid/mid.go":        "package mid\n\nimport _ \"embed\"\n\n//go:embed built\nvar Built string\n",
	"project/mid/built":         "1",
	"project/.gitignore":        "built\n",
	"project/high/high.go":      "package high\n\nimport (\n\t\"" + modulePath + "/low\"\n\t\"" + modulePath + "/mid\"\n)\n\nvar X, Y = low.X, mid.Built\n",
	"project/high/high_test.go": ran("high", ""),
	"project/beside/b_test.go":  ran("beside", `os.ReadFile("../../shared/cases/a")`),
	"project/docs/page.md":      "1",
	"project/lists/l_test.go":   ran("lists", `os.ReadDir("../docs")`),
	"project/asks/a_test.go":    ran("asks", `os.Getenv("ASKED")`),
	"project/two/t_test.go":     ran("two", "") + "\nfunc TestOther(*testing.T) {}\n",
	"project/runs/r_test.go":    ran("runs", `exec.Command("go", "version").Run()`),
	"project/root_test.go":      strings.Replace(ran(".", ""), "package .", "package causeway", 1),
	"project/fails/f_test.go":   ran("fails", `t.Error("wrong")`),
	"project/skips/s_test.go":   ran("skips", `t.Skip("not here")`),
	"shared/cases/a":            "1",
}

// ran is a test of a package that writes into a file that it ran.
func ran(pkg, does string) string {
	imports := `"os"; "testing"`
	if strings.Contains(does, "exec.") {
		imports += `; "os/exec"`
	}
	return fmt.Sprintf(`package %s

import (%s)

func TestOne(t *testing.T) {
	f, err := os.OpenFile(os.Getenv("RAN"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil { t.Fatal(err) }
	defer f.Close()
	f.WriteString("%s ")
	%s
}
`, pkg, imports, pkg, does)
}

func TestSparing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range module {
		put(t, filepath.Join(dir, name), text)
	}
	compiled, err := output(t.Context(), "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(compiled))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("RAN", filepath.Join(dir, "ran"))
	put(t, filepath.Join(dir, "ran"), "")
	t.Chdir(filepath.Join(dir, "project"))
	git(t, "init", "-q")

	packages := []string{".", "high", "beside", "lists", "asks", "two", "runs", "fails", "skips"}
	always := []string{"runs", "fails", "skips"}
	s := sparing{goTests{dir: engine, packages: packages}, "all"}
	steps := []struct {
		reason string
		change func()
		want   []string
	}{
		{"nothing has passed yet", func() {}, packages},
		{"nothing has changed: only what failed, was skipped, or runs what reads anything is run", func() {}, always},
		{"what a package is linked from is another one", func() { put(t, "low/low.go", strings.Replace(module["project/low/low.go"], "= 1", "= 2", 1)) }, []string{"high"}},
		{"tests of what a package is linked from are others", func() { put(t, "low/low_test.go", "package low\n") }, nil},
		{"what is embedded is another one, and git does not know it", func() { put(t, "mid/built", "2") }, []string{"high"}},
		{"a file beside the repository is another one", func() { put(t, "../shared/cases/a", "2") }, []string{"beside"}},
		{"a file came into a folder that is listed", func() { put(t, "docs/new.md", "1") }, []string{"lists", "."}},
		{"a file of a listed folder is another one: only the package above it, which is nearest, may have to do with it", func() { put(t, "docs/page.md", "2") }, []string{"."}},
		{"a variable is another one", func() { t.Setenv("ASKED", "1") }, []string{"asks"}},
		{"a test is left out", func() { s.skip = "^TestOther$" }, []string{"two"}},
		{"a test of another package is left out", func() { s.skip = "^TestOther$|^TestElsewhere$" }, nil},
		{"the control plane is another one", func() { put(t, "bin/causeway-kube", "2") }, []string{".", "high", "beside", "lists", "asks", "two"}},
		{"the modules are others", func() { put(t, "go.sum", "\n") }, []string{".", "high", "beside", "lists", "asks", "two"}},
		{"all is as it was in another clone", func() { moved(t, dir) }, nil},
	}
	for _, step := range steps {
		goListAgain()
		put(t, os.Getenv("RAN"), "")
		step.change()
		var log bytes.Buffer
		r := s.do(t.Context(), &log)
		text, err := os.ReadFile(os.Getenv("RAN"))
		if err != nil {
			t.Fatal(err)
		}
		got, want := strings.Fields(string(text)), slices.Concat(step.want, always)
		slices.Sort(got)
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("%s: ran %v, want %v\n%s", step.reason, got, want, log.String())
		}
		if tests := count(r.cases, passed); tests != 7 && tests != 8 {
			t.Errorf("%s: %d tests passed, want those that were not run among them", step.reason, tests)
		}
	}
}

// moved puts the module and what is beside it into another folder.
func moved(t *testing.T, dir string) {
	t.Helper()
	other := filepath.Join(dir, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"project", "shared"} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(other, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(other, "project"))
}

// goListAgain forgets what go list told: the packages of this test are others at each step.
func goListAgain() { listings.Clear() }

func TestSight(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "data/a", "1")
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason, log string
		want        []string
		err         string
	}{
		"Repository": {reason: "a file of it is one wherever the clone is", log: "open ../data/a\nstat ../data/a\nopen ../data/a", want: []string{"open data/a", "stat data/a"}},
		"Beside":     {reason: "so is one beside it", log: "open ../../shared/cases/x", want: []string{"open ../shared/cases/x"}},
		"Temporary":  {reason: "what a test made goes with it", log: "open " + filepath.Join(os.TempDir(), "x/y") + "\nopen /proc/self/status"},
		"System":     {reason: "a program is another one when it is newer", log: "stat /usr/bin/git", want: []string{"stat /usr/bin/git"}},
		"Moved":      {reason: "a process goes elsewhere, and looks from there", log: "chdir " + root + "\nopen data/a", want: []string{"open data/a"}},
		"Variable":   {reason: "a variable is a look, one that names a folder of the run is none", log: "# test log\ngetenv HOME\ngetenv TMPDIR", want: []string{"getenv HOME"}},
		"Runs":       {reason: "what a program reads is not told", log: "open /usr/local/go/bin/go", err: "the tests run go"},
		"Unknown":    {reason: "what is not understood is not kept", log: "walk /etc", err: `cannot be read: "walk /etc"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			put(t, looksFile(folder, "internal"), tc.log+"\n")
			looks, err := readLooks(folder, "internal", time.Now().Add(time.Hour))
			var got []string
			for _, l := range looks {
				got = append(got, string(l.Kind)+" "+l.Name)
			}
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("%s: got %v, %v; want %v", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestEditedWhileTestsRan: what was read is not known where the file is younger than the run.
func TestEditedWhileTestsRan(t *testing.T) {
	t.Chdir(t.TempDir())
	before := time.Now().AddDate(0, 0, -1)
	put(t, "data/a", "1")
	folder := t.TempDir()
	put(t, looksFile(folder, "internal"), "open ../data/a\n")
	if _, err := readLooks(folder, "internal", before); err == nil || !strings.Contains(err.Error(), "data/a was changed meanwhile") {
		t.Errorf("got %v", err)
	}
}
