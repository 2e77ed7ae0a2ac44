package serve

import (
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
)

// Dex gives two people two subjects (sub), and each the number that their own
// connector has for them, which policies go by: of two connectors, several people
// may have one number. What is somebody's own is theirs by the subject.
func TestPeopleOfTwoConnectors(t *testing.T) {
	policy, err := rbac.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &issuers{policy: func() *rbac.Policy { return policy }}
	of := func(sub, connector string, groups ...any) oidc.Claims {
		return oidc.Claims{"iss": "https://dex.example.com", "sub": sub, "groups": groups, "federated_claims": map[string]any{"connector_id": connector, "user_id": "7"}}
	}
	ann, mallory := s.User(of("Cgc3EgZnaXRodWI", "github", "ops")), s.User(of("Cgc3EgVnaXRlYQ", "gitea"))
	if ann.Person() == mallory.Person() {
		t.Errorf("two people are one: %q; the issuer's subjects are two", ann.Person())
	}
	if got := ann.Subject(); got != "Cgc3EgZnaXRodWI" {
		t.Errorf("the audit has the subject %q", got)
	}
	if got := policy.Subject(rbac.Claims(ann.Claims)).Name(); got != "7" {
		t.Errorf("policies mean %q", got)
	}
}

// Whoever types an address of mail in, and has not shown that it is theirs, has
// no rights by it.
func TestUnverifiedMailGivesNoRights(t *testing.T) {
	policy, err := rbac.Load(map[string]string{"scopes": "[groups, email]"})
	if err != nil {
		t.Fatal(err)
	}
	s := &issuers{policy: func() *rbac.Policy { return policy }}
	for name, tc := range map[string]struct {
		reason   string
		verified any
		counts   bool
	}{
		"verified":   {"the issuer has verified it", true, true},
		"as a text":  {"some issuers write it as a text", "true", true},
		"unsaid":     {"some never say", nil, true},
		"unverified": {"anybody may have typed it", false, false},
		"no, a text": {"so may they here", "false", false},
	} {
		t.Run(name, func(t *testing.T) {
			claims := oidc.Claims{"sub": "1", "email": "ann@example.com", "groups": []any{"ops"}}
			if tc.verified != nil {
				claims["email_verified"] = tc.verified
			}
			u := s.User(claims)
			if got := slices.Contains(u.Groups, "ann@example.com"); got != tc.counts || !slices.Contains(u.Groups, "ops") {
				t.Errorf("%s: the groups are %v", tc.reason, u.Groups)
			}
			if _, has := u.Claims["email"]; has != tc.counts {
				t.Errorf("%s: the claims are %v", tc.reason, u.Claims)
			}
		})
	}
}
