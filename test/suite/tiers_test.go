package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMeasuresAreOfTheLongTier: how much memory a process has, and how many goroutines, depends on the allocator, on the
// settings of the gate and on what runs beside, so no test of the gate asks for it.
func TestMeasuresAreOfTheLongTier(t *testing.T) {
	left, err := readLong(filepath.Join("../..", longFile))
	if err != nil {
		t.Fatal(err)
	}
	measuring := 0
	for folder, files := range testFiles(t, "../..") {
		for _, test := range measuringTests(t, files) {
			measuring++
			if !slices.ContainsFunc(left, func(l longTest) bool { return l.pkg == folder && l.test == test }) {
				t.Errorf("%s %s measures memory or goroutines: a line in %s leaves it to the long tier", folder, test, longFile)
			}
		}
	}
	if measuring == 0 {
		t.Error("no test is known to measure: what is looked for has another name now")
	}
}

// TestNoTestLeavesItselfOut: which tier a test is of says the list alone; one that skips itself counts as one that was run.
func TestNoTestLeavesItselfOut(t *testing.T) {
	for folder, files := range testFiles(t, "../..") {
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("testing."+"Short()")) {
				t.Errorf("%s asks whether tests are to be short: a line in %s leaves a test of %s to the long tier", file, longFile, folder)
			}
		}
	}
}

func TestMeasuringTests(t *testing.T) {
	const source = `package a

func TestA(t *testing.T) { t.Run("b", func(t *testing.T) { looks() }) }

func TestB(t *testing.T) { other() }

func BenchmarkC(b *testing.B) { looks() }

func looks() { more() }

func more() { var m runtime.MemStats; runtime.ReadMemStats(&m) }

func other() { runtime.GC() }
`
	file := filepath.Join(t.TempDir(), "a_test.go")
	write(t, file, source)
	if got := measuringTests(t, []string{file}); !slices.Equal(got, []string{"TestA"}) {
		t.Errorf("got %v, want the test that measures by way of two functions, and no benchmark", got)
	}
}

// testFiles are the files of tests below a folder, by the folder of their package.
func testFiles(t *testing.T, root string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && file != root && (name == "node_modules" || name == "bin" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, "_test.go") {
			folder, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return err
			}
			folder = filepath.ToSlash(folder)
			out[folder] = append(out[folder], file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// measuringTests are the tests of a package that measure, also by way of other functions of its test files.
func measuringTests(t *testing.T, files []string) []string {
	t.Helper()
	uses := map[string][]string{} // by function: the names in it
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				uses[f.Name.Name] = append(uses[f.Name.Name], namesIn(f)...)
			}
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if strings.HasPrefix(name, "Test") && measures(uses, name, map[string]bool{}) {
			out = append(out, name)
		}
	}
	return out
}

func namesIn(f *ast.FuncDecl) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}

func measures(uses map[string][]string, name string, seen map[string]bool) bool {
	if name == "ReadMemStats" || name == "NumGoroutine" {
		return true
	}
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(uses[name], func(used string) bool { return measures(uses, used, seen) })
}
