package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// A hub that does not answer holds no command for longer than its time: not where the applications are found, and
// not where the engine is asked to look.
func TestHubThatDoesNotAnswer(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv(command.VariableToken, goodToken)
	for name, tc := range map[string]struct {
		reason string
		silent string // what is not answered
		args   []string
	}{
		"Get":       {"one that is looked at again", http.MethodGet, []string{"get", "app", "shop", "--refresh"}},
		"GetLook":   {"a look that is asked for", http.MethodPost, []string{"get", "app", "shop", "--refresh"}},
		"Terminate": {"one whose operation is to end", http.MethodGet, []string{"terminate", "shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == tc.silent {
					<-r.Context().Done()
					return
				}
				_ = json.NewEncoder(w).Encode(v1alpha1.ApplicationList{Items: []v1alpha1.Application{*clitest.Settled()}})
			}))
			t.Cleanup(s.Close)
			// They have a minute, which is not waited for here.
			ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, command.Latef("not in time"))
			defer cancel()
			var out, err output
			code := Run(ctx, "1.2.3", append(tc.args, "--server", s.URL), command.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
			if code != command.ExitLate || !strings.Contains(err.String(), "not in time") {
				t.Errorf("%s: exit %d: %s%s", tc.reason, code, out.String(), err.String())
			}
		})
	}
}
