package causeway_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// owner is what a comment says of who waits for a goroutine, or of what ends it.
var owner = regexp.MustCompile(`\b(ends?|waits?|waited|awaited)\b`)

// ownerless are the positions of go statements of a file that have no comment directly
// above or behind them which says who waits for the goroutine, or what ends it.
func ownerless(files *token.FileSet, file *ast.File) []token.Position {
	commented := map[int]bool{}
	for _, group := range file.Comments {
		if owner.MatchString(group.Text()) {
			commented[files.Position(group.Pos()).Line] = true
			commented[files.Position(group.End()).Line+1] = commented[files.Position(group.End()).Line+1] || alone(files, file, group)
		}
	}
	var out []token.Position
	ast.Inspect(file, func(n ast.Node) bool {
		if s, is := n.(*ast.GoStmt); is && !commented[files.Position(s.Pos()).Line] {
			out = append(out, files.Position(s.Pos()))
		}
		return true
	})
	return out
}

// alone reports whether a comment begins its line: one behind a statement is about
// that, and not about the next line.
func alone(files *token.FileSet, file *ast.File, group *ast.CommentGroup) bool {
	line := files.Position(group.Pos()).Line
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		_, statement := n.(ast.Stmt)
		_, declaration := n.(ast.Decl)
		if statement || declaration {
			found = found || n.Pos() < group.Pos() && (files.Position(n.Pos()).Line == line || files.Position(n.End()).Line == line)
		}
		return true
	})
	return !found
}

// TestGoroutinesHaveOwners: one that nobody waits for works on after what it was begun for, and its panic ends the process.
func TestGoroutinesHaveOwners(t *testing.T) {
	files, found := token.NewFileSet(), 0
	for _, folder := range []string{"internal", "cmd", "deploy"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == filepath.Join("internal", "crew") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), "go ") {
				return err
			}
			file, err := parser.ParseFile(files, path, text, parser.ParseComments)
			if err != nil {
				return err
			}
			found++
			for _, at := range ownerless(files, file) {
				t.Errorf("%s:%d: say behind or above it who waits for this goroutine, or what ends it; better, have crew.Group start it", at.Filename, at.Line)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 10 {
		t.Errorf("%d files are looked at, which are more", found)
	}
}

func TestOwnerless(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, code string
		want         int
	}{
		"Behind": {"a comment behind it says what ends it", "go f() // ends with ctx", 0},
		"Opened": {"also where its function has many lines", "go func() { // waited for below\n\tf()\n}()", 0},
		"Above":  {"a comment above it says who waits", "// Close waits for it.\ngo f()", 0},
		"Far":    {"a comment further above may be about something else", "// Close waits for it.\n\ngo f()", 1},
		"Other":  {"what is behind another statement is not about this one", "f() // ends with ctx\ngo f()", 1},
		"Words":  {"a comment has to say it", "go f() // quickly", 1},
		"None":   {"each needs one", "go f()\ngo f()", 2},
		"Nested": {"also one that is started by another", "go func() { // ends with ctx\n\tgo f()\n}()", 1},
		"Call":   {"a call alone starts nothing", "f()", 0},
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "x.go", "package x\n\nfunc x() {\n"+tc.code+"\n}\n", parser.ParseComments)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := ownerless(files, file); len(got) != tc.want {
			t.Errorf("%s (%s): %v have no owner, want %d", name, tc.reason, got, tc.want)
		}
	}
}
