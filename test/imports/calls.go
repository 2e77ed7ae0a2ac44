package imports

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Call forbids functions, methods and variables that hold some.
type Call struct {
	Reason string
	// From are the packages that the rule is about, but for those of Except:
	// each with everything below it.
	From, Except []string
	// Never are what must not be named, in full: example.com/a.F, or
	// (*example.com/a.T).F.
	Never []string
	// Into are types of a last argument with which it may be called all the same.
	Into []string
}

// FollowCalls fails for each use of what a rule forbids, and for each exemption
// that permits none. Packages whose texts
// do not have the last word of its name are not read.
func (m Module) FollowCalls(t *testing.T, rule Call) {
	t.Helper()
	files := token.NewFileSet()
	from := importer.ForCompiler(files, "gc", exports(t, rule.From))
	uses := func(packages []Package) (out []string) {
		for _, p := range packages {
			if rule.mayName(t, p) {
				out = append(out, rule.uses(t, p, files, from)...)
			}
		}
		return out
	}
	about := m.about(rule.From, rule.Except)
	if len(about) == 0 {
		t.Errorf("no package is one of %v: mend the rule, or take it away", rule.From)
	}
	for _, at := range uses(about) {
		t.Errorf("%s: %s", at, rule.Reason)
	}
	for _, e := range rule.Except {
		if m.within(m.Path+"/"+e, rule.From) && len(uses(m.about([]string{e}, nil))) > 0 {
			continue
		}
		t.Errorf("nothing needs the exemption of %s from the rule %q: take it away", e, rule.Reason)
	}
}

// exports opens what the compiler wrote of packages, and of those that they import.
func exports(t *testing.T, folders []string) importer.Lookup {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export"}
	for _, f := range folders {
		args = append(args, "./"+f+"/...")
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list -export: %v", err)
	}
	known := map[string]string{}
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		known[p.ImportPath] = p.Export
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(known[path]) }
}

func (c Call) mayName(t *testing.T, p Package) bool {
	t.Helper()
	for _, f := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, f))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range c.Never {
			if strings.Contains(string(text), name[strings.LastIndexByte(name, '.'):]) {
				return true
			}
		}
	}
	return false
}

// uses are the places of a package that name what is forbidden.
func (c Call) uses(t *testing.T, p Package, files *token.FileSet, from types.Importer) []string {
	t.Helper()
	var parsed []*ast.File
	for _, f := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	known := types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: from}
	if _, err := config.Check(p.ImportPath, files, parsed, &known); err != nil {
		t.Fatalf("cannot read the types of %s: %v", p.ImportPath, err)
	}
	var out []string
	allowed := map[*ast.Ident]bool{}
	for _, file := range parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id := called(n); id != nil && c.allows(n, known) {
					allowed[id] = true
				}
			case *ast.Ident:
				if name := fullName(known.Uses[n]); slices.Contains(c.Never, name) && !allowed[n] {
					out = append(out, files.Position(n.Pos()).String()+" has "+name)
				}
			}
			return true
		})
	}
	return out
}

func (c Call) allows(call *ast.CallExpr, known types.Info) bool {
	if len(call.Args) == 0 {
		return false
	}
	last := known.Types[call.Args[len(call.Args)-1]].Type
	return last != nil && slices.Contains(c.Into, types.TypeString(last, nil))
}

func called(call *ast.CallExpr) *ast.Ident {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

func fullName(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		return o.FullName()
	case *types.Var:
		if o.Pkg() != nil && !o.IsField() {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}
