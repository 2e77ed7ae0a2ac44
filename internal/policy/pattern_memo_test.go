package policy

import (
	"fmt"
	"testing"
)

func TestMemoIsBounded(t *testing.T) {
	reads := 0
	m := newMemo(func(text string) int { reads++; return len(text) }, length)
	for range 2 {
		if got := m.of("shop"); got != len("shop") {
			t.Fatalf("got %d", got)
		}
	}
	if reads != 1 {
		t.Errorf("what is asked for again is read %d times", reads)
	}
	for i := range 10_000 {
		m.of(fmt.Sprintf("shop-%d", i))
	}
	if reads = 0; m.of("shop") != len("shop") || reads != 1 {
		t.Error("what nobody asked for while much else was is kept for ever")
	}
}
