package engine

import (
	"fmt"
	"strings"
	"testing"
)

// TestPatternsAreDropped tells that a full set of compiled expressions makes
// room for those of the next render.
func TestPatternsAreDropped(t *testing.T) {
	s := newState(nil)
	s.begin(t.Context(), Limits{}.withDefaults())
	const size = maxPatterns / 10
	for i := range 20 {
		if _, err := s.regex(fmt.Sprintf("%s.{%d}", strings.Repeat("a.{0,999}", size/2000), i+1), "text"); err != nil {
			t.Fatal(err)
		}
	}
	if s.sizes > maxPatterns || s.sizes < maxPatterns-size || len(s.patterns) > 10 {
		t.Errorf("%d expressions of size %d are kept during a render, the bound is %d", len(s.patterns), s.sizes, maxPatterns)
	}
	s.end()
	if len(s.patterns)+s.sizes != 0 {
		t.Errorf("%d expressions are left", len(s.patterns))
	}
	s.begin(t.Context(), Limits{}.withDefaults())
	if _, err := s.regex("a+", "text"); err != nil {
		t.Fatal(err)
	}
	if s.end(); len(s.patterns) != 1 {
		t.Error("a small one is not kept")
	}
}
