package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestNoFlagTakesLessThanNoTime looks at the flags of all commands.
func TestNoFlagTakesLessThanNoTime(t *testing.T) {
	count := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			usual := f.Value.String()
			if f.Value.Type() != "duration" {
				return
			}
			count++
			if err := f.Value.Set("-1s"); err != nil {
				return // it says so itself
			}
			if err := lengths(cmd); err == nil || !strings.Contains(err.Error(), "--"+f.Name+" is a length of time") {
				t.Errorf("%s --%s=-1s: %v", cmd.CommandPath(), f.Name, err)
			}
			if err := f.Value.Set(usual); err != nil || lengths(cmd) != nil {
				t.Errorf("%s --%s=%s: %v", cmd.CommandPath(), f.Name, usual, lengths(cmd))
			}
		})
		for _, child := range cmd.Commands() {
			look(child)
		}
	}
	look(newRoot(&command.Global{}))
	if count < 10 {
		t.Errorf("only %d flags are lengths of time", count)
	}
}

func TestLengthsOfTime(t *testing.T) {
	for reason, args := range map[string][]string{
		"an interval":  {"run", "--interval=-2m"},
		"a time limit": {"delete", "shop", "--yes", "--wait", "--timeout=-1s"},
		"a look back":  {"logs", "shop", "--since", "-5m"},
	} {
		if got := invoke(t, args...); got.code != command.ExitUsage || !strings.Contains(got.errors, "is a length of time and cannot be -") {
			t.Errorf("%s: %v: exit %d: %s", reason, args, got.code, got.errors)
		}
	}
	t.Setenv("CAUSEWAY_STORE_AGE", "-1h")
	if got := invoke(t, "run"); got.code != command.ExitUsage || !strings.Contains(got.errors, "--store-age is a length of time") {
		t.Errorf("in the environment: exit %d: %s", got.code, got.errors)
	}
}
