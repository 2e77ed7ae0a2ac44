package cli

import (
	"strings"
	"testing"
)

// TestFormerCommands still answer, and say on the error stream how they are
// called now: their output is read by scripts.
func TestFormerCommands(t *testing.T) {
	for _, args := range [][]string{{"confirm", "shop"}, {"why", "value", "shop"}} {
		got := invoke(t, append(args, "--kubeconfig", "none.yaml")...)
		if want := "causeway " + strings.Join(args[:len(args)-1], " ") + " is causeway "; got.out != "" || !strings.Contains(got.errors, want) {
			t.Errorf("causeway %s: prints %q, says %q, want %q", strings.Join(args, " "), got.out, got.errors, want)
		}
	}
}
