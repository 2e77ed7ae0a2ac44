// Package imports holds the packages of a module to rules about who may import
// whom, each with its reason. Each module has its rules in a test beside its
// go.mod.
package imports

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Rule forbids imports. Paths are relative to the module, or those of other
// modules and of the standard library in full.
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

// Follow fails for each import that a rule forbids, for each rule that is about
// no package, and for each exemption that permits nothing.
func (m Module) Follow(t *testing.T, rules []Rule) {
	t.Helper()
	for _, r := range rules {
		if len(m.about(r.From, r.Except)) == 0 {
			t.Errorf("no package is one of %v: mend the rule, or take it away", r.From)
		}
		for _, b := range m.breaches(r) {
			t.Errorf("%s: %s", b, r.Reason)
		}
		for _, e := range m.unused(r) {
			t.Errorf("nothing needs the exemption of %s from the rule %q: take it away", e, r.Reason)
		}
	}
}

// about are the packages that a rule is about.
func (m Module) about(from, except []string) []Package {
	var out []Package
	for _, p := range m.Packages {
		if m.within(p.ImportPath, from) && !m.within(p.ImportPath, except) {
			out = append(out, p)
		}
	}
	return out
}

// breaches are the imports that a rule forbids, each with who has it.
func (m Module) breaches(r Rule) []string {
	var out []string
	for _, p := range m.about(r.From, r.Except) {
		for _, dep := range m.broken(r, p) {
			out = append(out, p.ImportPath+" imports "+dep)
		}
	}
	return out
}

// unused are the exemptions without which a rule would forbid nothing more.
func (m Module) unused(r Rule) []string {
	var out []string
	now := len(m.breaches(r))
	for i, e := range r.Except {
		strict := r
		strict.Except = slices.Delete(slices.Clone(r.Except), i, i+1)
		if len(m.breaches(strict)) == now {
			out = append(out, e)
		}
	}
	for i, e := range r.Allow {
		strict := r
		strict.Allow = slices.Delete(slices.Clone(r.Allow), i, i+1)
		if len(m.breaches(strict)) == now {
			out = append(out, e)
		}
	}
	return out
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
		if below(path, m.Path+"/"+f) {
			return true
		}
		// What begins with internal is the module's, and not the standard library's own.
		if first, _, _ := strings.Cut(f, "/"); first != "internal" && below(path, f) {
			return true
		}
	}
	return false
}

// below reports whether a path is a folder or in it.
func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
