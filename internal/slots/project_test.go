package slots

import (
	"context"
	"testing"
)

// TestProjectOfAContext: work that is handed on stays that of who asked for it last.
func TestProjectOfAContext(t *testing.T) {
	red := ForProject(t.Context(), "red")
	inner, cancel := context.WithCancel(red)
	defer cancel()
	tests := map[string]struct {
		reason string
		ctx    context.Context //nolint:containedctx // it is what is asked
		want   string
	}{
		"None":   {"work without a project is nobody's", t.Context(), ""},
		"Own":    {"it is the one that was named", red, "red"},
		"Within": {"what is cancelled earlier is the same work", inner, "red"},
		"Later":  {"who works for another project says so", ForProject(inner, "blue"), "blue"},
		"Empty":  {"also who works for nobody", ForProject(red, ""), ""},
	}
	for name, tc := range tests {
		if got := ProjectOf(tc.ctx); got != tc.want {
			t.Errorf("%s: %s: %q, want %q", name, tc.reason, got, tc.want)
		}
	}
}
