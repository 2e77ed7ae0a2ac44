package web_test

import (
	"os"
	"regexp"
	"testing"
)

// Every type of condition is told in plain words, with the way out.
func TestConditionsHaveWords(t *testing.T) {
	types := namesIn(t, "../api/argoproj/v1alpha1/status.go", `ApplicationConditionType = "(\w+)"`)
	words := namesIn(t, "src/text/en/conditions.ts", `(?m)^      (\w+): \{\n        title: .+\n        way: `)
	if len(types) < 15 {
		t.Fatalf("the types of conditions are not where they were: %d", len(types))
	}
	for name := range types {
		if !words[name] {
			t.Errorf("src/text/en/conditions.ts has no title and way out for %s", name)
		}
	}
}

// Who reads what they need is not sent away by npm.
func TestNodeIsNamedAsItIsAskedFor(t *testing.T) {
	versions := namesIn(t, "package.json", `"node": ">=([\d.]+)"`)
	if len(versions) != 1 {
		t.Fatalf("package.json asks for Node.js in %d ways, and not in one", len(versions))
	}
	for version := range versions {
		if !namesIn(t, "../README.md", `Node\.js ([\d.]+) or newer`)[version] {
			t.Errorf("package.json asks for Node.js %s, and README.md names another one", version)
		}
	}
}

func namesIn(t *testing.T, file, pattern string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		names[m[1]] = true
	}
	return names
}
