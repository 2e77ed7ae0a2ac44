package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const threatModel = "explanation/threat-model.md"

// leastHeld is how many tests the threat model names at least: a page whose
// form changes would else be read as one that names none.
const leastHeld = 60

var heldBy = regexp.MustCompile("`([a-z][a-zA-Z0-9_/]*) ((?:Test|Fuzz)[A-Za-z0-9_]+)`")

// TestTestsOfTheThreatModelExist holds the promises to tests that are there.
func TestTestsOfTheThreatModelExist(t *testing.T) {
	text, err := os.ReadFile(threatModel)
	if err != nil {
		t.Fatal(err)
	}
	named := heldBy.FindAllStringSubmatch(string(text), -1)
	if len(named) < leastHeld {
		t.Errorf("the threat model names %d tests, and named %d", len(named), leastHeld)
	}
	for _, m := range named {
		if !strings.Contains(testsOf(t, m[1]), "\nfunc "+m[2]+"(") {
			t.Errorf("the threat model names %s of %s, which is not there: name the test that holds the promise now", m[2], m[1])
		}
	}
}

// TestBoundariesSayWhatTheyDoNotKeep holds each boundary to both halves, and to
// a test.
func TestBoundariesSayWhatTheyDoNotKeep(t *testing.T) {
	text, err := os.ReadFile(threatModel)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		if !strings.Contains(body, "Promised") {
			continue
		}
		if !strings.Contains(body, "\nNot promised") || !heldBy.MatchString(body) {
			t.Errorf("the boundary %q says what it promises, but not what it does not, or which tests hold it", title)
		}
	}
}

// testsOf is the text of a folder's tests.
func testsOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
