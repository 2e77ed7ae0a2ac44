package aws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// TestWhatServersRepeat: no error has a credential, nor half of one where it is cut, and a long chain of roles forgets none.
func TestWhatServersRepeat(t *testing.T) {
	s := newServer(t)
	var roles []string
	for i := range 12 {
		roles = append(roles, fmt.Sprintf("%q", fmt.Sprint("arn:aws:iam::1:role/", i)))
	}
	chain := strings.Replace(ofSecrets, `"region"`, `"additionalRoles":[`+strings.Join(roles, ",")+`],"region"`, 1)
	account := strings.Replace(fmt.Sprintf(ofAccount, "irsa"), `"region"`, `"role":"arn:aws:iam::1:role/reader","region"`, 1)
	for name, tc := range map[string]struct {
		reason, config, secret string
		before                 int
	}{
		"first of a chain": {"the first key of a chain of roles", chain, "given-secret-key", 0},
		"last of a chain":  {"and the last", chain, "made-session-token-of-ASIAMADE12", 0},
		"token":            {"a token of a service account", account, "jwt of ns/irsa for sts.amazonaws.com,more", 0},
		"at the end":       {"one where AWS's words are cut", ofSecrets, "given-secret-key", provider.LongestTold - len("InvalidRequestException: ") - len("given-sec")},
	} {
		t.Run(name, func(t *testing.T) {
			s.mu.Lock()
			s.made = 0
			s.mu.Unlock()
			p := s.opened(t, tc.config)
			s.answers(func(w http.ResponseWriter, _ string, _ object) bool {
				fail(w, "InvalidRequestException", strings.Repeat("x", tc.before)+tc.secret+" is wrong")
				return true
			})
			_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
			if err == nil || !strings.Contains(err.Error(), "InvalidRequestException") || strings.Contains(err.Error(), tc.secret[:7]) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
