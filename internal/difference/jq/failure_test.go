package jq

import (
	"strings"
	"testing"
)

// TestFailuresTellNoValues fails in each of the ways that the interpreter tells
// with a part of the object, in this process and in a worker.
func TestFailuresTellNoValues(t *testing.T) {
	const planted = "planted"
	cases := map[string]struct{ reason, text, want string }{
		"Error":      {"whatever error is given", `error(.data.key)`, "it calls error"},
		"All":        {"all of the object", `error(.data | tostring)`, "it calls error"},
		"Object":     {"no text at all", `error(.data)`, "it calls error"},
		"Caught":     {"what was caught is raised again", `try error(.data.key) catch error(.)`, "it calls error"},
		"Halt":       {"another way to give up", `.data.key | halt_error`, "it calls halt"},
		"Posing":     {"a text that looks like the interpreter's", `error("cannot iterate over: string (\(.data.key))")`, "it calls error"},
		"Iterate":    {"a text is no list", `.data.key[]`, "cannot iterate over: string"},
		"Index":      {"a text has no fields", `.data.key.a`, "expected an object but got: string"},
		"Function":   {"a function of a value", `.data.key | keys`, "a function of it refuses what it is given"},
		"Arguments":  {"a function of two", `.data | has(.key)`, ""},
		"Wrapped":    {"a parser quotes what it reads", `.data.key | fromjson`, "a function of it refuses what it is given"},
		"Operator":   {"what does not add up", `.data.key + 1`, "cannot add: string"},
		"Invalid":    {"a value that is no path", `.data.key | ascii_upcase`, ""},
		"Division":   {"nothing to divide by", `.data.number / 0`, "a function of it refuses what it is given"},
		"Key":        {"a field of no name", `{(.data): 1}`, "expected a string for object key but got: object"},
		"Expression": {"a pattern that is none", `.data.key | test("(" + .)`, "a function of it refuses what it is given"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q, err := Parse("red", "ignoreDifferences", tc.text)
			if err != nil {
				t.Fatal(err)
			}
			err = q.Failure(t.Context(), map[string]any{"data": map[string]any{"key": planted, "number": int64(20261127)}})
			switch {
			case err == nil && tc.want != "":
				t.Fatalf("%s: it does not fail", tc.reason)
			case err == nil:
			case strings.Contains(err.Error(), planted), strings.Contains(err.Error(), "20261127"):
				t.Errorf("%s: the failure tells what is in the object: %v", tc.reason, err)
			case tc.want != "" && err.Error() != tc.want:
				t.Errorf("%s: got %q, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
