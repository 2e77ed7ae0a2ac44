package sandbox

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestWhatIsGivenIsBounded has objects that a script does not even look at.
func TestWhatIsGivenIsBounded(t *testing.T) {
	p := New(`return {status = "Healthy"}`)
	for name, few := range thousands() {
		many := slices.Repeat(few, maxGiven/bytesPerValue/len(few)+1)
		large := map[string]any{"items": many}
		for range ofNamespace + 1 {
			if _, err := p.RunFor(Subject{Object: large}, map[string]any{"obj": large}); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "more than 64 MiB of memory") {
				t.Fatalf("%s: many were taken: %v", name, err)
			}
		}
		small := map[string]any{"items": few}
		if result, err := p.RunFor(Subject{Object: small}, map[string]any{"obj": small}); err != nil || result == nil {
			t.Errorf("%s: few were not taken, or those before are held against the script: %v", name, err)
		}
	}
}

// TestMemoryOfWhatIsGiven holds what is counted to what it takes.
func TestMemoryOfWhatIsGiven(t *testing.T) {
	for name, few := range thousands() {
		s := newState(false)
		before := allocated()
		s.encode(few, maxDepth)
		if took, told := int(allocated()-before), maxGiven-remains(maxGiven, few, maxDepth); took > 2*told {
			t.Errorf("%s: %d bytes were allocated for %d", name, took, told)
		}
	}
}

// thousands are a thousand of each kind of value.
func thousands() map[string][]any {
	out := map[string][]any{}
	for name, item := range map[string]any{
		"Tables": map[string]any{"a": "b"}, "Lists": []any{}, "Texts": "a", "Numbers": int64(1), "Deep": deep(20),
	} {
		out[name] = slices.Repeat([]any{item}, 1000)
	}
	return out
}

func deep(n int) any {
	var v any = "a"
	for range n {
		v = map[string]any{"a": v}
	}
	return v
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
