package cli

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestSignInFlags(t *testing.T) {
	for _, args := range [][]string{{"--sso", "--user", "ann"}, {"--sso", "--token"}, {"--sso-port", "8085"}} {
		want := "--sso"
		if got := invoke(t, append([]string{"login", "https://causeway.example.com"}, args...)...); got.code != command.ExitUsage || !strings.Contains(got.errors, want) {
			t.Errorf("causeway login %v: %+v", args, got)
		}
	}
	if got := invoke(t, "login", "http://causeway.example.com", "--sso"); got.code != command.ExitFailed || !strings.Contains(got.errors, "in the clear") {
		t.Errorf("without TLS: %+v", got)
	}
}
