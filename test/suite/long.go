package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// longFile names the tests that only the tier all runs.
const longFile = "test/long.txt"

// longTest is a line of it: the folder of a package, a test or subtest, and why it is left to the long tier.
type longTest struct {
	pkg, test, reason string
}

// readLong reads lines of a folder, a test and a reason, apart by white space; # begins a comment.
func readLong(file string) ([]longTest, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []longTest
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		const least = 3
		if len(words) < least {
			return nil, fmt.Errorf("%s:%d: write the folder of a package, a test, and why it is left to the long tier", file, i+1)
		}
		out = append(out, longTest{words[0], words[1], strings.Join(words[2:], " ")})
	}
	return out, nil
}

// skipOf is the expression of the tests that are left out of packages, as -skip takes it; empty for none.
func skipOf(left []longTest, module string, packages []string) string {
	var out []string
	for _, l := range left {
		inside := slices.ContainsFunc(packages, func(pkg string) bool {
			folder := path.Join(module, strings.TrimSuffix(pkg, "..."))
			return folder == l.pkg || strings.HasSuffix(pkg, "...") && strings.HasPrefix(l.pkg, folder+"/")
		})
		if inside {
			out = append(out, "^"+strings.ReplaceAll(l.test, "/", "$/^")+"$")
		}
	}
	return strings.Join(out, "|")
}

// skipIn is what an expression of skipOf leaves out of one package: what it names of others changes nothing there.
func skipIn(skip, pkg string) (string, error) {
	names, _, err := testsIn(pkg)
	if err != nil {
		return "", err
	}
	parts := slices.DeleteFunc(strings.Split(skip, "|"), func(part string) bool {
		top, _, _ := strings.Cut(part, "/")
		return !slices.Contains(names, strings.Trim(top, "^$"))
	})
	return strings.Join(parts, "|"), nil
}

// declared are the tests of a file; benchmarks are not run by themselves.
var declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// testsIn are the names of the tests in a folder, and whether there are files of them at all.
func testsIn(folder string) (names []string, found bool, err error) {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		return nil, false, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, false, err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			if name := string(m[1]); name != "TestMain" {
				names = append(names, name)
			}
		}
	}
	return names, len(files) > 0, nil
}

// idle reports whether nothing of a package would run: all its tests are left out, or there are none in its test files. To
// link such a program takes seconds.
func idle(left []longTest, folder string) (bool, error) {
	names, found, err := testsIn(folder)
	runs := slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(left, func(l longTest) bool { return l.pkg == folder && l.test == name })
	})
	return found && !runs && err == nil, err
}

// toRun are those of packages in which something runs.
func toRun(left []longTest, module string, packages []string) ([]string, error) {
	var out []string
	for _, pkg := range packages {
		nothing, err := idle(left, path.Join(module, pkg))
		if err != nil {
			return nil, err
		}
		if !nothing {
			out = append(out, pkg)
		}
	}
	return out, nil
}
