package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// writers are the folders of the engine that write the status of Applications.
var writers = []string{"internal/controller", "internal/report", "internal/policy", "internal/operation", "internal/app"}

// TestStatusTellsWhatIsWritten: a field of the status that nothing in the engine
// sets says so, and one that says so is set by nothing.
func TestStatusTellsWhatIsWritten(t *testing.T) {
	set := map[string]bool{}
	for _, dir := range writers {
		err := fs.WalkDir(os.DirFS(".."), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path.Join("..", name), nil, 0)
			if err == nil {
				assigned(file, set)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const says = "does not write"
	found := 0
	for _, file := range []string{"status.go", "operation.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), apiFolder+file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range statusFields(parsed) {
			found++
			// The message of an object's health has the same name as that of an application's.
			if name := f.Names[0].Name; set[name] == strings.Contains(f.Doc.Text(), says) && name != "Message" {
				t.Errorf("%s: the engine writes %s: %t, and its comment is %q", file, name, set[name], strings.TrimSpace(f.Doc.Text()))
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d fields were found", found)
	}
}

// assigned notes names that are set: by an assignment or in a composite literal.
func assigned(file *ast.File, set map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				for s, ok := to.(*ast.SelectorExpr); ok; s, ok = s.X.(*ast.SelectorExpr) {
					set[s.Sel.Name] = true
				}
			}
		case *ast.IncDecStmt:
			if s, ok := n.X.(*ast.SelectorExpr); ok {
				set[s.Sel.Name] = true
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				set[id.Name] = true
			}
		}
		return true
	})
}

// statusFields are the fields of structs that an Application's status is made of.
func statusFields(file *ast.File) []*ast.Field {
	parts := map[string]bool{
		"ApplicationStatus": true, "SyncStatus": true, "ComparedTo": true, "AppHealthStatus": true, "HealthStatus": true, "ResourceStatus": true, "RevisionHistory": true,
		"ApplicationCondition": true, "ApplicationSummary": true, "OperationState": true, "SyncOperationResult": true, "ResourceResult": true,
	}
	var out []*ast.Field
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !parts[spec.Name.Name] {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			out = append(out, s.Fields.List...)
		}
		return false
	})
	return out
}
