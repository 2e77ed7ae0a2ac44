package engine

import (
	"fmt"
	"testing"
)

// TestPatternsAreDropped tells that a full set of compiled expressions makes
// room for those of the next render.
func TestPatternsAreDropped(t *testing.T) {
	s := newState(nil)
	s.begin(t.Context(), Limits{}.withDefaults())
	for i := range maxPatterns + 10 {
		if _, err := s.regex(fmt.Sprintf("a%d", i), "text"); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.patterns) != maxPatterns {
		t.Errorf("%d expressions are kept during a render, the bound is %d", len(s.patterns), maxPatterns)
	}
	s.end()
	if len(s.patterns)+len(s.cost) != 0 {
		t.Errorf("%d expressions are left", len(s.patterns))
	}
}
