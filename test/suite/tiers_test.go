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

// TestComparingTestsAreKnown: what reads recorded cases, or holds them to a list, is not tried again when it differs.
func TestComparingTestsAreKnown(t *testing.T) {
	reading := 0
	for folder, files := range testFiles(t, "../..") {
		if folder == "test/suite" || folder == "test/deviation" { // they speak of such tests
			continue
		}
		for _, test := range testsThat(t, files, func(word string) bool { return word == "deviation" || strings.Contains(word, "shared/conformance") }) {
			reading++
			if !comparing.MatchString(test) {
				t.Errorf("%s %s reads what was recorded: with Conformance, Differential or AgreeWith in its name, or Recorded at the beginning, it is not tried again", folder, test)
			}
		}
	}
	if reading == 0 {
		t.Error("no test is known to read what was recorded: it has another name now")
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

// measuringTests are the tests of a package that measure.
func measuringTests(t *testing.T, files []string) []string {
	t.Helper()
	return testsThat(t, files, func(name string) bool { return name == "ReadMemStats" || name == "NumGoroutine" })
}

// testsThat are the tests of a package in which a name or a text is used, also by way of what its test files declare.
func testsThat(t *testing.T, files []string, meant func(string) bool) []string {
	t.Helper()
	uses := map[string][]string{} // by what is declared: the names and texts in it
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			words := wordsIn(d)
			for _, name := range declaredBy(d) {
				uses[name] = append(uses[name], words...)
			}
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if strings.HasPrefix(name, "Test") && reaches(uses, name, meant, map[string]bool{}) {
			out = append(out, name)
		}
	}
	return out
}

// declaredBy are names; those of methods begin with a dot, for fields have the same.
func declaredBy(d ast.Decl) []string {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
		return []string{"." + f.Name.Name}
	} else if ok {
		return []string{f.Name.Name}
	}
	var out []string
	ast.Inspect(d, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			for _, name := range v.Names {
				out = append(out, name.Name)
			}
		}
		return true
	})
	return out
}

func wordsIn(d ast.Decl) []string {
	var out []string
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			out = append(out, n.Name)
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.SelectorExpr); ok {
				out = append(out, "."+called.Sel.Name)
			}
		case *ast.BasicLit:
			out = append(out, n.Value)
		}
		return true
	})
	return out
}

func reaches(uses map[string][]string, name string, meant func(string) bool, seen map[string]bool) bool {
	if meant(name) {
		return true
	}
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(uses[name], func(used string) bool { return reaches(uses, used, meant, seen) })
}
