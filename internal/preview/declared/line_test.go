package declared

import (
	"fmt"
	"strings"
	"testing"
)

// TestLinesAreOfOneParse has many objects with unknown fields in one document: it is parsed once, however many they are.
func TestLinesAreOfOneParse(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "key%d:\n  inner: 1\n", i)
	}
	known := &lines{text: []byte(text.String()), first: 1}
	if got := known.of("key99.inner"); got != 200 {
		t.Errorf("it stands in line %d, want 200", got)
	}
	root := known.root
	if got := known.of("nowhere"); got != 0 || known.root != root || root == nil {
		t.Errorf("a field that is not there is in line %d; parsed anew: %v", got, known.root != root)
	}
	broken := &lines{text: []byte("a: [")}
	if got := broken.of("a"); got != 0 || !broken.read {
		t.Errorf("what cannot be parsed: line %d, tried %v", got, broken.read)
	}
}
