package causeway_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// embedsBuffer are the positions where a struct of a file embeds a bytes.Buffer.
func embedsBuffer(files *token.FileSet, file *ast.File) []token.Position {
	var out []token.Position
	ast.Inspect(file, func(n ast.Node) bool {
		s, is := n.(*ast.StructType)
		if !is {
			return true
		}
		for _, f := range s.Fields.List {
			kind := f.Type
			if star, is := kind.(*ast.StarExpr); is {
				kind = star.X
			}
			selected, is := kind.(*ast.SelectorExpr)
			if is && len(f.Names) == 0 && selected.Sel.Name == "Buffer" {
				out = append(out, files.Position(f.Pos()))
			}
		}
		return true
	})
	return out
}

// TestNothingEmbedsABuffer: what a type limits in Write of its own goes past it by the
// ReadFrom and the WriteString of a buffer that it embeds.
func TestNothingEmbedsABuffer(t *testing.T) {
	files, read := token.NewFileSet(), 0
	for _, folder := range []string{"internal", "cmd", "kube", "terraform"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			read++
			for _, at := range embedsBuffer(files, file) {
				t.Errorf("%s embeds a bytes.Buffer: make it a field with a name", at)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 1000 {
		t.Errorf("%d files were read: there are more", read)
	}
}

func TestEmbeddedBuffersAreFound(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "a.go", "package a\ntype a struct {\n\tbytes.Buffer\n}\ntype b struct {\n\t*bytes.Buffer\n\tkept bytes.Buffer\n}\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if found := embedsBuffer(files, file); len(found) != 2 || found[0].Line != 3 || found[1].Line != 6 {
		t.Errorf("found %v, want those of lines 3 and 6", found)
	}
}
