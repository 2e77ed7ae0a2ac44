package doctor

import (
	"bytes"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

func TestFindingsDecideTheExitCode(t *testing.T) {
	tests := map[string]struct {
		reason string
		states []string
		code   int
	}{
		"Fine": {reason: "all is well", states: []string{fine, fine}},
		"Warn": {reason: "a warning is no failure", states: []string{fine, warn}},
		"Fail": {reason: "a failure is", states: []string{fail, fine}, code: command.ExitFailed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var found []finding
			for _, state := range tc.states {
				found = append(found, finding{Check: "c", State: state, Detail: "d", Fix: "f"})
			}
			var out bytes.Buffer
			err := reportFindings((&command.Global{Streams: command.Streams{Out: &out}}), table.AsTable, found)
			if command.ExitCode(err) != tc.code || err != nil && !command.Silent(err) || !strings.Contains(out.String(), "→ f") {
				t.Errorf("%s: %v, %q", tc.reason, err, out.String())
			}
		})
	}
}
