package generate

import (
	"fmt"
	"strings"
	"testing"
)

// TestLacksAreBounded leaves many placeholders in many Applications.
func TestLacksAreBounded(t *testing.T) {
	l := newLacks()
	for i := range 200 {
		l.begin()
		for j := range 1000 {
			l.miss(fmt.Sprintf("key-%d", j))
		}
		l.end(subject{name: fmt.Sprintf("app-%d", i)})
	}
	kept := 0
	for _, subjects := range l.missing {
		kept += len(subjects)
	}
	if kept != mostLacks {
		t.Errorf("%d pairs are kept", kept)
	}
	all := l.warnings("set")
	if last := all[len(all)-1].Message; len(all) != 1001 || !strings.Contains(last, "at least 50000 parameters") {
		t.Errorf("%d warnings, the last is %s", len(all), last)
	}
}
