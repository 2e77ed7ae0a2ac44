package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGoTestsRunAgain runs tests that fail, mends what they lack, and has them run again from what was told of them.
func TestGoTestsRunAgain(t *testing.T) {
	const test = `package a

import (
	"os"
	"testing"
)

func TestA(t *testing.T) {
	if _, err := os.Stat(os.Getenv("LACKS")); err != nil {
		t.Fatal(err)
	}
}
`
	const dies = `package a

import (
	"os"
	"testing"
)

func TestA(t *testing.T) {
	if _, err := os.Stat(os.Getenv("LACKS")); err != nil {
		panic(err)
	}
}

func TestB(t *testing.T) {}
`
	after := outcome{Package: "internal/a", Test: "TestB"}
	tests := map[string]struct {
		reason, dir, module string
		packages            []string
		// lacks is a file without which they fail.
		lacks, content string
		files          map[string]string
	}{
		"Root":       {"the package at the root of the main module", ".", modulePath, []string{"."}, "lacks", "", map[string]string{"a_test.go": test}},
		"OtherRoot":  {"the package at the root of another one", "terraform/provider", modulePath + "/terraform/provider", []string{"..."}, "lacks", "", map[string]string{"a_test.go": test}},
		"OtherInner": {"a package of another module", "terraform/provider", modulePath + "/terraform/provider", []string{"..."}, "lacks", "", map[string]string{"internal/a/a_test.go": test}},
		"Dies":       {"a package that a panic ended before all its tests had run", ".", modulePath, []string{"internal/a"}, "lacks", "", map[string]string{"internal/a/a_test.go": dies}},
		"Whole":      {"several packages of which the go command could run none", ".", modulePath, []string{"a", "b"}, "go.work", "go 1.26\n\nuse .\n", map[string]string{"a/a_test.go": test, "b/b_test.go": "package b\n"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			lacks, err := filepath.Abs(tc.lacks)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(tc.dir, "go.mod"), "module "+tc.module+"\n\ngo 1.26\n")
			for file, text := range tc.files {
				write(t, filepath.Join(tc.dir, file), text)
			}
			work := goTests{dir: tc.dir, packages: tc.packages, env: []string{"LACKS=" + lacks}}
			if tc.content != "" {
				work.env = append(work.env, "GOWORK="+lacks)
			}
			bad := failures(work.do(t.Context(), io.Discard).cases)
			if died := name == "Dies"; len(bad) != 1 && !died || len(bad) != 2 && died {
				t.Fatalf("%s: it failed as %v", tc.reason, bad)
			}
			write(t, lacks, tc.content)
			r := work.again(t.Context(), io.Discard, bad)
			if len(r.cases) == 0 || len(failures(r.cases)) > 0 || !r.passes(bad[0]) {
				t.Errorf("%s: it failed as %v, and again %v", tc.reason, bad, r.cases)
			}
			if name == "Dies" && !r.passes(after) {
				t.Errorf("%s: what came after has not run: %v", tc.reason, r.cases)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFuzzTestsRunAgain has two fuzz tests of one package, of which each ends in a process of its own.
func TestFuzzTestsRunAgain(t *testing.T) {
	died := []outcome{{Package: "p", Status: failed, First: "exit status 2"}}
	failed := []outcome{bad("FuzzB", "no"), {Package: "p", Status: failed}}
	var all []outcome
	for name, cases := range map[string][]outcome{"FuzzA": died, "FuzzB": failed} {
		all = append(all, ofFuzz(goTests{packages: []string{"p"}, run: fuzzRun(name)}, cases)...)
	}
	got := failures(all)
	slices.SortFunc(got, func(a, b outcome) int { return len(a.Test+a.First) - len(b.Test+b.First) })
	if len(got) != 2 || got[0].Test != "FuzzB" || got[1].Test != "FuzzA" {
		t.Errorf("a process that died is a failure of its own, whatever comes of the package's next one: %v", got)
	}
}

// TestFuzzTestsEndInTime tells the end of the time from an input that fails.
func TestFuzzTestsEndInTime(t *testing.T) {
	over := outcome{Package: "p", Test: "FuzzA", Status: failed, said: "fuzz: elapsed: 6s\n--- FAIL: FuzzA (6.08s)\n    context deadline exceeded\n"}
	input := over
	input.said += "    Failing input written to testdata/fuzz/FuzzA/1\n"
	whole := outcome{Package: "p", Status: failed, First: "exit status 1"}
	for name, tc := range map[string]struct {
		cases []outcome
		want  int
	}{
		"Over":  {[]outcome{over, whole}, 0},
		"Input": {[]outcome{input, whole}, 1},
		"Died":  {[]outcome{whole}, 1},
		"Other": {[]outcome{bad("FuzzA", "no"), whole}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := failures(ofFuzz(goTests{packages: []string{"p"}, run: fuzzRun("FuzzA")}, inTime(tc.cases))); len(got) != tc.want {
				t.Errorf("%d failures, want %d: %v", len(got), tc.want, got)
			}
		})
	}
}
