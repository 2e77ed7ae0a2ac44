package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// reachesOut is in tests that read files beside the repository, or ask a server that is there already.
var reachesOut = regexp.MustCompile(`shared|postgres`)

// closedOf are those of packages whose tests depend on nothing but the module: neither they nor what they import of it run
// programs, or read files beside the repository.
func closedOf(ctx context.Context, packages []string) (map[string]bool, error) {
	running, err := runningPrograms(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, pkg := range packages {
		beside, err := readsBeside(pkg)
		if err != nil {
			return nil, err
		}
		out[pkg] = !running[pkg] && !beside
	}
	return out, nil
}

// runningPrograms are the packages whose tests have to do with code of this module that runs programs.
func runningPrograms(ctx context.Context) (map[string]bool, error) {
	text, err := goList(ctx, "-test", "-f", "{{.ImportPath}}\t{{join .Imports \",\"}}\t{{join .Deps \",\"}}", "./...")
	if err != nil {
		return nil, err
	}
	starts, uses := map[string]bool{}, map[string][]string{}
	for line := range strings.Lines(text) {
		const path, imports, deps = 0, 1, 2
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		starts[fields[path]] = slices.Contains(strings.Split(fields[imports], ","), "os/exec")
		if pkg, is := strings.CutSuffix(fields[path], ".test"); is {
			uses[short(pkg)] = strings.Split(fields[deps], ",")
		}
	}
	out := map[string]bool{}
	for pkg, all := range uses {
		out[pkg] = slices.ContainsFunc(all, func(dep string) bool { return starts[dep] })
	}
	return out, nil
}

// readsBeside reports whether the tests of a package name what is outside of the repository.
func readsBeside(pkg string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		return false, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if reachesOut.Match(text) {
			return true, nil
		}
	}
	return false, nil
}
