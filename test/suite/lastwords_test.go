package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLastWords has steps of .ci/run that failed in their own ways. Who reads the end of a run learns of each why.
func TestLastWords(t *testing.T) {
	const noise = "make: *** [Makefile:22: x] Error 1\n\nmake[1]: Leaving directory\n"
	long := strings.Repeat("      ^\n", 30)
	tests := map[string]struct {
		reason string
		logs   map[string]string
		failed []string
		want   []string
	}{
		"Nothing": {"a run that is well says nothing", map[string]string{"test": "9 tests passed\n"}, nil, nil},
		"Flaky":   {"but what passed at a second try", map[string]string{"test": "FLAKY: p TestA: no\n== other\n"}, nil, []string{"FLAKY: p TestA: no"}},
		"Lint": {
			"what is wrong comes before the code and the sums", map[string]string{"lint": "internal/a/a.go:3:4: the name is bad (revive)\n\tx := 1\n" + long + "1 issues:\n* revive: 1\n" + noise},
			[]string{"lint"}, []string{"FAILED: lint: internal/a/a.go:3:4: the name is bad (revive)"},
		},
		"Pages": {
			"ESLint names the file above", map[string]string{"lint": "\nweb/src/a.tsx\n  3:4  warning  so so\n  5:6  error  not so  some-rule\n\n" + noise},
			[]string{"lint"}, []string{"FAILED: lint: web/src/a.tsx:5:6  error  not so  some-rule"},
		},
		"Build": {
			"a compiler", map[string]string{"build": "# example.com/a\na/a.go:7:2: undefined: b\n" + noise},
			[]string{"build"}, []string{"FAILED: build: a/a.go:7:2: undefined: b"},
		},
		"Own": {
			"its own word is the best", map[string]string{"vulns": "a.go:1:1: seen\nFAILED: GO-2026-1 is in causeway\n"},
			[]string{"vulns"}, []string{"FAILED: vulns: GO-2026-1 is in causeway"},
		},
		"Other":  {"or else the end", map[string]string{"build": "no space left\n" + noise}, []string{"build"}, []string{"FAILED: build: no space left"}},
		"Silent": {"and also who says nothing is named", map[string]string{"format": ""}, []string{"format"}, []string{"FAILED: format: it says nothing"}},
		"Last": {
			"failures come before what is flaky", map[string]string{"test": "FLAKY: p TestA: no\nFAILED: p TestB: x\n", "build": "a.go:1:1: no\n"},
			[]string{"build", "test"}, []string{"FAILED: build: a.go:1:1: no", "FAILED: test: p TestB: x", "FLAKY: p TestA: no"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := lastWords(t, tc.logs, tc.failed)
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("%s:\n%s", tc.reason, strings.Join(got, "\n"))
			}
		})
	}
}

// TestLastWordsAreFew: all steps failed, each many times; all of them are named in the last lines, after which comes nothing.
func TestLastWordsAreFew(t *testing.T) {
	logs, steps := map[string]string{}, []string{"format", "tidy", "build", "generated", "lint", "vulns", "test"}
	for _, step := range steps {
		var text strings.Builder
		for i := range 30 {
			fmt.Fprintf(&text, "FAILED: %s %d\nFLAKY: %s %d\n", step, i, step, i)
		}
		logs[step] = text.String()
	}
	got := lastWords(t, logs, steps)
	if len(got) > 19 {
		t.Errorf("%d lines are more than the last twenty with the one that ends the run", len(got))
	}
	for _, step := range steps {
		if !strings.Contains(strings.Join(got, "\n"), "FAILED: "+step+": "+step+" 0") {
			t.Errorf("%s is not named with its first error:\n%s", step, strings.Join(got, "\n"))
		}
	}
	if last := got[len(got)-1]; last != "FLAKY: and 25 more" {
		t.Errorf("the last line is %q", last)
	}
}

// lastWords are the lines for steps with these logs.
func lastWords(t *testing.T, logs map[string]string, failed []string) []string {
	t.Helper()
	folder := t.TempDir()
	for step, text := range logs {
		write(t, filepath.Join(folder, step+".log"), text)
	}
	cmd := exec.CommandContext(t.Context(), "../../.ci/last-words", append([]string{folder}, failed...)...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil || problem.Len() > 0 {
		t.Fatalf("%v: %s", err, problem.String())
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}
