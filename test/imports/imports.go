// Package imports holds the packages of a module to rules about who may import
// whom, each with its reason. Each module has its rules in a test beside its
// go.mod.
package imports

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Rule forbids imports. Paths are relative to the module unless they hold a
// dot in their first element.
type Rule struct {
	Reason string
	// From are the packages that the rule is about: each with everything below it.
	From []string
	// Except are packages below From that the rule is not about.
	Except []string
	// Never are the packages that must not be reached: each with everything below it.
	Never []string
	// Allow are packages below Never that may be reached all the same.
	Allow []string
	// Deep forbids reaching them through other packages, too.
	Deep bool
}

// Package is what `go list` tells of a package.
type Package struct {
	ImportPath string   `json:"ImportPath"`
	Dir        string   `json:"Dir"`
	Doc        string   `json:"Doc"`
	Imports    []string `json:"Imports"`
	Deps       []string `json:"Deps"`
	GoFiles    []string `json:"GoFiles"`
}

// Module is a module and its packages, without their tests.
type Module struct {
	Path     string
	Packages []Package
}

// Load lists the packages of the module that the test stands in.
func Load(t *testing.T, path string) Module {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Doc,Imports,Deps,GoFiles", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	m := Module{Path: path}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p Package
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return m
		} else if err != nil {
			t.Fatal(err)
		}
		m.Packages = append(m.Packages, p)
	}
}

// Follow fails for each import that a rule forbids, and for each rule that is
// about no package.
func (m Module) Follow(t *testing.T, rules []Rule) {
	t.Helper()
	for _, r := range rules {
		about := 0
		for _, p := range m.Packages {
			if !m.within(p.ImportPath, r.From) || m.within(p.ImportPath, r.Except) {
				continue
			}
			about++
			for _, dep := range m.broken(r, p) {
				t.Errorf("%s imports %s: %s", p.ImportPath, dep, r.Reason)
			}
		}
		if about == 0 {
			t.Errorf("no package is one of %v: mend the rule, or take it away", r.From)
		}
	}
}

// broken are the imports of a package that a rule forbids.
func (m Module) broken(r Rule, p Package) []string {
	reached := p.Imports
	if r.Deep {
		reached = p.Deps
	}
	var out []string
	for _, dep := range reached {
		if m.within(dep, r.Never) && !m.within(dep, r.Allow) && !m.same(p.ImportPath, dep, r.From) {
			out = append(out, dep)
		}
	}
	return out
}

// Described fails for packages with a vague name, and for those that do not
// say what they are for.
func (m Module) Described(t *testing.T) {
	t.Helper()
	vague := []string{"util", "utils", "common", "helper", "helpers", "types", "manager"}
	for _, p := range m.Packages {
		name := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		for _, v := range vague {
			if name == v {
				t.Errorf("%s: %q is no name for a package", p.ImportPath, name)
			}
		}
		if len(p.GoFiles) > 0 && len(p.Doc) < 40 {
			t.Errorf("%s has no package comment that says what it does", p.ImportPath)
		}
	}
}

// same reports whether both are inside the same one of the folders: a package
// may import its own sub-packages.
func (m Module) same(a, b string, folders []string) bool {
	for _, f := range folders {
		if f != "internal" && m.within(a, []string{f}) && m.within(b, []string{f}) {
			return true
		}
	}
	return false
}

func (m Module) within(path string, folders []string) bool {
	for _, f := range folders {
		if first, _, _ := strings.Cut(f, "/"); !strings.Contains(first, ".") {
			f = m.Path + "/" + f
		}
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}
