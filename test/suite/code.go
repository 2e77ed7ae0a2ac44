package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// code is what the tests of the main module's packages are linked from.
type code struct {
	// cache is where it is written what passed, common what all of them share: the compiler, the versions of other modules, and
	// the control plane, which is started before a package's tests, when nothing writes down yet what is looked at.
	cache, common string
	// deps are the packages of this module by whose tests need them, files what is in their folders or embedded, by package.
	deps, files map[string][]string
	sums        *sums
}

func readCode(ctx context.Context) (code, error) {
	cache, err := passedFolder()
	if err != nil {
		return code{}, err
	}
	tool, err := output(ctx, compiler[0], compiler[1:]...)
	if err != nil {
		return code{}, err
	}
	c := code{cache: cache, common: tool, deps: map[string][]string{}, files: map[string][]string{}, sums: newSums()}
	for _, name := range append([]string{"go.mod", "go.sum"}, controlPlane()...) {
		c.common += c.sums.of(name)
	}
	if err := c.readPackages(ctx); err != nil {
		return code{}, err
	}
	return c, c.readFiles(ctx)
}

// readPackages reads what needs what, and what is embedded.
func (c code) readPackages(ctx context.Context) error {
	text, err := goList(ctx, "-test", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .Deps \",\"}}\t{{join .EmbedFiles \",\"}},{{join .TestEmbedFiles \",\"}},{{join .XTestEmbedFiles \",\"}}", "./...")
	if err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		const name, dir, deps, embedded = 0, 1, 2, 3
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if pkg, is := strings.CutSuffix(fields[name], ".test"); is {
			c.deps[short(pkg)] = ownPackages(pkg, strings.Split(fields[deps], ","))
			continue
		}
		pkg := plain(fields[name])
		folder, err := filepath.Rel(root, fields[dir])
		if err != nil {
			return err
		}
		c.files[pkg] = append(c.files[pkg], embeddedIn(folder, strings.Split(fields[embedded], ","))...)
	}
	return nil
}

// embeddedIn are embedded files by their paths, which git may not have.
func embeddedIn(folder string, names []string) []string {
	var out []string
	for _, name := range names {
		if name != "" {
			out = append(out, path.Join(filepath.ToSlash(folder), name))
		}
	}
	return out
}

// ownPackages are those of this module among what tests are linked from, and theirs.
func ownPackages(pkg string, deps []string) []string {
	out := []string{short(pkg)}
	for _, dep := range deps {
		if dep == modulePath || strings.HasPrefix(dep, modulePath+"/") {
			out = append(out, plain(dep))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// plain is the package that go list names together with the tests for which it is compiled.
func plain(name string) string {
	name, _, forTests := strings.Cut(name, " ")
	if forTests {
		name = strings.TrimSuffix(name, "_test")
	}
	return short(name)
}

// readFiles gives each file of git to the package whose folder is the nearest above it.
func (c code) readFiles(ctx context.Context) error {
	text, err := output(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(text, "\x00"), "\x00") {
		pkg := path.Dir(name)
		for pkg != engine && !c.isPackage(pkg) {
			pkg = path.Dir(pkg)
		}
		c.files[pkg] = append(c.files[pkg], name)
	}
	for pkg, files := range c.files {
		slices.Sort(files)
		c.files[pkg] = slices.Compact(files)
	}
	return nil
}

// isPackage reports whether a folder is one: it has an entry, be it empty.
func (c code) isPackage(folder string) bool {
	_, coded := c.files[folder]
	_, tested := c.deps[folder]
	return coded || tested
}

// file is where it is written that a package passed, as it was chosen to be run.
func (c code) file(pkg, chosen string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00", pkg, chosen, c.common)
	for _, dep := range c.deps[pkg] {
		for _, name := range c.files[dep] {
			if dep != pkg && strings.HasSuffix(name, "_test.go") {
				continue // is linked into the tests of that package alone
			}
			fmt.Fprintf(sum, "%s\x00%s\x00", name, c.sums.of(name))
		}
	}
	return filepath.Join(c.cache, hex.EncodeToString(sum.Sum(nil)[:sumBytes]))
}
