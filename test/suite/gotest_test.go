package main

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// events is what go test -json prints, with one package and one test for all.
func events(lines ...string) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(strings.ReplaceAll(l, "PKG", modulePath+"/internal/plan") + "\n")
	}
	return out.String()
}

func TestReader(t *testing.T) {
	tests := map[string]struct {
		reason string
		said   string
		want   result
	}{
		"Passed": {
			reason: "each test and its package",
			said:   events(`{"Action":"pass","Package":"PKG","Test":"TestA","Elapsed":1.5}`, `{"Action":"pass","Package":"PKG","Elapsed":2}`),
			want: result{cases: []outcome{
				{Package: "internal/plan", Test: "TestA", Status: passed, Seconds: 1.5},
				{Package: "internal/plan", Status: passed, Seconds: 2},
			}},
		},
		"Failed": {
			reason: "the first line that names a place is the first error",
			said: events(
				`{"Action":"output","Package":"PKG","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"PKG","Test":"TestA","Output":"a log\n"}`,
				`{"Action":"output","Package":"PKG","Test":"TestA","Output":"    a_test.go:7: got 1, want 2\n"}`,
				`{"Action":"fail","Package":"PKG","Test":"TestA","Elapsed":1}`,
			),
			want: result{cases: []outcome{{Package: "internal/plan", Test: "TestA", Status: failed, Seconds: 1, First: "a_test.go:7: got 1, want 2"}}},
		},
		"DoesNotCompile": {
			reason: "the compiler's words are the package's",
			said: events(
				`{"ImportPath":"PKG [PKG.test]","Action":"build-output","Output":"# PKG\n"}`,
				`{"ImportPath":"PKG [PKG.test]","Action":"build-output","Output":"plan/a_test.go:7:2: undefined: x\n"}`,
				`{"Action":"fail","Package":"PKG","Elapsed":0,"FailedBuild":"PKG [PKG.test]"}`,
			),
			want: result{cases: []outcome{{Package: "internal/plan", Status: failed, First: "plan/a_test.go:7:2: undefined: x"}}},
		},
		"Panicked": {
			reason: "a panic ends the package: tests that come after have not run",
			said: events(
				`{"Action":"output","Package":"PKG","Test":"TestA","Output":"panic: once [recovered]\n"}`,
				`{"Action":"fail","Package":"PKG","Test":"TestA","Elapsed":1}`,
				`{"Action":"output","Package":"PKG","Output":"FAIL\tPKG\t0.0s\n"}`,
				`{"Action":"fail","Package":"PKG","Elapsed":1}`,
			),
			want: result{cases: []outcome{
				{Package: "internal/plan", Test: "TestA", Status: failed, Seconds: 1, First: "panic: once [recovered]"},
				{Package: "internal/plan", Status: failed, Seconds: 1, died: true},
			}},
		},
		"Ended": {
			reason: "what a test said that has no end tells why its package ended",
			said: events(
				`{"Action":"output","Package":"PKG","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"PKG","Test":"TestA","Output":"fatal error: all goroutines are asleep\n"}`,
				`{"Action":"output","Package":"PKG","Output":"FAIL\tPKG\t0.0s\n"}`,
				`{"Action":"fail","Package":"PKG","Elapsed":1}`,
			),
			want: result{cases: []outcome{{Package: "internal/plan", Status: failed, Seconds: 1, First: "fatal error: all goroutines are asleep", died: true}}},
		},
		"WithoutTests": {
			reason: "a package without tests is no test that was skipped",
			said:   events(`{"Action":"skip","Package":"PKG"}`),
		},
		"Conformance": {
			reason: "numbers that only go up are printed at the end, those of the tests of the counting are not",
			said: events(
				`{"Action":"output","Package":"PKG","Test":"TestOrderConformance","Output":"TestOrderConformance: 80 of 80 cases agree\n"}`,
				`{"Action":"output","Package":"PKG","Test":"TestTally/Gone","Output":"TestTally/Gone: 0 of 1 cases agree\n"}`,
			),
			want: result{notes: []string{"TestOrderConformance: 80 of 80 cases agree"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newReader(io.Discard)
			for i := range len(tc.said) { // lines come in pieces
				_, _ = r.Write([]byte{tc.said[i]})
			}
			if diff := cmp.Diff(tc.want, r.out, cmp.AllowUnexported(result{}, outcome{}), cmpopts.IgnoreFields(outcome{}, "said")); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	bad := func(test string) outcome { return outcome{Package: "p", Test: test, Status: failed} }
	tests := map[string]struct {
		reason      string
		cases, want []outcome
	}{
		"Subtest":  {"a test that failed for its subtest is no failure of its own", []outcome{bad("TestA/x"), bad("TestA"), bad("")}, []outcome{bad("TestA/x")}},
		"Itself":   {"one that failed by itself is", []outcome{bad("TestA"), bad("")}, []outcome{bad("TestA")}},
		"Package":  {"a package that failed without a test is one", []outcome{bad("")}, []outcome{bad("")}},
		"Died":     {"one that ended before its tests did is, and what ended it", []outcome{bad("TestA"), {Package: "p", Status: failed, died: true}}, []outcome{bad("TestA"), {Package: "p", Status: failed, died: true}}},
		"AllWell":  {"what passed is none", []outcome{{Package: "p", Test: "TestA", Status: passed}}, nil},
		"TwoLevel": {"tests above all levels are left out", []outcome{bad("TestA/x/y"), bad("TestA/x"), bad("TestA")}, []outcome{bad("TestA/x/y")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, failures(tc.cases), cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("%s:\n%s", tc.reason, diff)
			}
		})
	}
}
