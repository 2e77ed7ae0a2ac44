package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLongTestsAreThere holds the list to what there is: a test that was given another name would be back in the gate.
func TestLongTestsAreThere(t *testing.T) {
	left, err := readLong(filepath.Join("../..", longFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range left {
		top := topOf(l.test)
		names, _, err := testsIn(filepath.Join("../..", l.pkg))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(names, top) {
			t.Errorf("%s: there is no test %s in %s", longFile, top, l.pkg)
		}
	}
}

func TestReadLong(t *testing.T) {
	tests := map[string]struct {
		reason, text, problem string
		want                  []longTest
	}{
		"Lines":    {reason: "comments and empty lines say nothing", text: "# why\n\ninternal/app  TestA/b  it waits # long\n", want: []longTest{{"internal/app", "TestA/b", "it waits"}}},
		"NoReason": {reason: "who leaves a test out says why", text: "internal/app TestA\n", problem: "long.txt:1: write the folder"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "long.txt")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readLong(file)
			if (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Fatalf("%s: got error %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(longTest{})); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSkipOf(t *testing.T) {
	left := []longTest{{"internal/app", "TestA", "x"}, {"internal/app", "TestB/c", "x"}, {"terraform/provider/internal/provider", "TestC", "x"}}
	tests := map[string]struct {
		reason, module string
		packages       []string
		want           string
	}{
		"Package": {"the tests of a package", ".", []string{"internal/app", "internal/plan"}, "^TestA$|^TestB$/^c$"},
		"Other":   {"and of no other", ".", []string{"internal/plan"}, ""},
		"Module":  {"all packages of a module", "terraform/provider", []string{"..."}, "^TestC$"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := skipOf(left, tc.module, tc.packages); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestSkipIn: what is left out of other packages makes nothing another choice of tests here.
func TestSkipIn(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a_test.go"), []byte("package a\n\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := skipIn("^TestA$|^TestElsewhere$|^TestB$/^c$|^TestElsewhere$/^c$", folder)
	if err != nil || got != "^TestA$|^TestB$/^c$" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestIdle links no program of which nothing runs, and leaves none out of which something does.
func TestIdle(t *testing.T) {
	tests := map[string]struct {
		reason string
		text   string
		want   bool
	}{
		"Runs":       {"one test is not left out", "func TestMain(m *testing.M) {}\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n", false},
		"LeftOut":    {"all are", "func TestMain(m *testing.M) {}\nfunc TestA(t *testing.T) {}\n", true},
		"InPart":     {"a subtest is left out, not the test", "func TestC(t *testing.T) {}\n", false},
		"Fuzz":       {"seeds are tests, too", "func FuzzA(f *testing.F) {}\n", false},
		"Benchmarks": {"they do not run by themselves", "func BenchmarkA(b *testing.B) {}\n", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "a_test.go"), []byte("package a\n\n"+tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := idle([]longTest{{folder, "TestA", "x"}, {folder, "TestC/x", "x"}}, folder)
			if err != nil || got != tc.want {
				t.Errorf("%s: got %t, %v", tc.reason, got, err)
			}
		})
	}
	if got, err := idle(nil, t.TempDir()); err != nil || got {
		t.Errorf("a package without test files is not linked anyway: got %t, %v", got, err)
	}
}

func TestReadFlaky(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flaky.md")
	text := "# Title\n\n| date | package | test | first error |\n|---|---|---|---|\n| 2026-01-02 | p | TestA | a |\n| 2026-02-03 | p | TestA | b |\n| 2026-02-03 | p | TestB | b |\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	book, err := readFlaky(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"p TestA"}, book.twice()); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(file, []byte("| 2026-01-02 | p |\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readFlaky(file); err == nil || !strings.Contains(err.Error(), "flaky.md:1: write") {
		t.Errorf("got %v", err)
	}
	if _, err := readFlaky(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("no book has no lines: %v", err)
	}
}
