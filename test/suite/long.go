package main

import (
	"fmt"
	"os"
	"path"
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
