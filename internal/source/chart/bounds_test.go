package chart

import (
	"fmt"
	"strings"
	"testing"
)

// TestIndexesAreWeighed holds what an index says that it takes against what it
// is made of, whatever its layout.
func TestIndexesAreWeighed(t *testing.T) {
	address := strings.Repeat("a", 1000)
	release := fmt.Sprintf("{version: 1.0.0, digest: \"%064d\", urls: [%s]}", 0, address)
	for name, c := range map[string]struct {
		reason, text string
		least        int64
		found        bool
	}{
		"Helm":  {"the text is kept", "apiVersion: v1\nentries:\n  web:\n  - " + strings.Repeat("# "+address+"\n  - ", 9) + release + "\n", 9 * 1000, true},
		"Other": {"the releases are kept", "entries: {web: [" + strings.Repeat(release+", ", 9) + release + "]}", 10 * 1000, false},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := ParseIndex([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if size := x.Size(); size < c.least || size > 3*int64(len(c.text)) {
				t.Errorf("%s: %d bytes, of a text of %d", c.reason, size, len(c.text))
			}
			if cost := x.Cost("web"); (cost < mostMemory) != c.found || cost < 2*c.least {
				t.Errorf("%s: listing the versions takes %d bytes", c.reason, cost)
			}
			if cost := x.Cost("none"); c.found && cost != x.Size() {
				t.Errorf("%s: listing none takes %d bytes", c.reason, cost)
			}
		})
	}
}

// TestChartsOfAnIndexAreBounded lists more than are found by their places: those
// of an index that is read as a whole are bounded as its other values are.
func TestChartsOfAnIndexAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("entries:\n")
	for i := range mostCharts + 2 {
		fmt.Fprintf(&text, "  c%d:\n", i)
	}
	if spans := splitYAML([]byte(text.String())); spans != nil {
		t.Errorf("%d charts are found", len(spans))
	}
	if small := splitYAML([]byte("entries:\n  a:\n  b:\n")); len(small) != 2 {
		t.Errorf("of two charts %d are found", len(small))
	}
}
