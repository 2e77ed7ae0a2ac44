package causeway_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// decided is a part of a row of "Where things are decided": names, and the file that declares them.
var decided = regexp.MustCompile("((?:`\\w+`(?:, )?)+) in `(internal/[\\w/.]+)`")

// TestWhereThingsAreDecided: what CONTRIBUTING.md says to be in a file is declared there, and each path in it exists.
func TestWhereThingsAreDecided(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`(internal/[\\w/.]+)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("CONTRIBUTING.md names %s: %v", m[1], err)
		}
	}
	all := decided.FindAllStringSubmatch(string(text), -1)
	if len(all) < 40 {
		t.Errorf("%d names with their files are found in CONTRIBUTING.md: its list is longer", len(all))
	}
	for _, m := range all {
		code, err := os.ReadFile(m[2])
		if err != nil {
			continue
		}
		for name := range strings.SplitSeq(m[1], ", ") {
			name = strings.Trim(name, "`")
			if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const )` + name + `\b|^\t` + name + ` += `).Match(code) {
				t.Errorf("CONTRIBUTING.md says that %s is in %s: it is not declared there", name, m[2])
			}
		}
	}
}
