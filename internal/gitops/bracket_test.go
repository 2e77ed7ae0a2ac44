package gitops

import (
	"strings"
	"testing"
)

// An IP address has brackets, and in a pattern they are a sign: what is denied by one
// that is read as a class is denied to nobody.
func TestQuoteHost(t *testing.T) {
	cases := map[string]struct{ reason, pattern, want string }{
		"Address":  {"they are text around an address", "https://[fd00::10]:6443", `https://\[fd00::10\]:6443`},
		"Denied":   {"also in what denies", "!https://[fd00::10]/team", `!https://\[fd00::10\]/team`},
		"Bare":     {"and without a scheme", "[fd00::10]:6443", `\[fd00::10\]:6443`},
		"User":     {"behind who signs in", "ssh://git@[fd00::10]/team", `ssh://git@\[fd00::10\]/team`},
		"Users":    {"whose name may have the sign, too", "https://a@b@[fd00::10]/x", `https://a@b@\[fd00::10\]/x`},
		"Short":    {"as ssh writes it", "git@[fd00::10]:team/app", `git@\[fd00::10\]:team/app`},
		"Star":     {"a part of it may be any", "https://[fd00::*]/*", `https://\[fd00::*\]/*`},
		"Inside":   {"or one of some", "https://[fd00::[12]0]", `https://\[fd00::[12]0\]`},
		"Quoted":   {"what is quoted stays", `https://\[fd00::10\]:6443`, `https://\[fd00::10\]:6443`},
		"Class":    {"what has no colon is a class", "https://[abc].example.com", "https://[abc].example.com"},
		"ClassNot": {"and so is what is none of some", "https://[!a:b].example.com", "https://[!a:b].example.com"},
		"Path":     {"further behind they are signs", "https://example.com/[a:b]", "https://example.com/[a:b]"},
		"PathUser": {"what looks like a user there is none", "https://example.com/x@[a:b]", "https://example.com/x@[a:b]"},
		"Middle":   {"and so are they within a name", "https://a[b:c]", "https://a[b:c]"},
		"Open":     {"what does not end is no address", "https://[fd00::10", "https://[fd00::10"},
		"Across":   {"nor what ends behind the host", "https://[fd00::/x]", "https://[fd00::/x]"},
		"Empty":    {"nothing has none", "", ""},
		"Scheme":   {"nor has a scheme alone", "https://", "https://"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := QuoteHost(tc.pattern)
			if got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if again := QuoteHost(got); again != got {
				t.Errorf("%s: quoted again it is %q", tc.reason, again)
			}
		})
	}
}

func TestSignOfPattern(t *testing.T) {
	cases := map[string]struct{ reason, address, sign string }{
		"Address":   {"an address has none", "https://prod.example.com:6443/k8s", ""},
		"IPv6":      {"the brackets of an IP address are none", "https://[fd00::10]:6443/a", ""},
		"IPv6Bare":  {"also without a scheme", "[fd00::10]:6443", ""},
		"IPv6Star":  {"what is in them may have one", "https://[fd00::*]", "*"},
		"IPv6After": {"or what follows", "https://[fd00::10]/{a,b}", "{"},
		"Quoted":    {"brackets that are quoted are of a pattern", `https://\[fd00::10\]`, `\`},
		"Class":     {"a class is one", "https://[abc].example.com", "["},
		"Star":      {"a star is one", "https://*.example.com", "*"},
		"One":       {"and a question mark", "https://prod?.example.com", "?"},
		"Deny":      {"and what denies", "!https://prod.example.com", "!"},
		"Within":    {"wherever it is", "https://example.com/a!b", "!"},
		"User":      {"who signs in is no part of where", "https://me:p*ss!@example.com/a", ""},
		"UserPath":  {"but what looks so in a path is", "https://example.com/*@a", "*"},
		"Empty":     {"nothing has none", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := SignOfPattern(tc.address); got != tc.sign {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.sign)
			}
			err := OneServer(tc.address)
			if (err == nil) != (tc.sign == "") || err != nil && !strings.Contains(err.Error(), "the sign "+tc.sign+" of patterns: write the address of one API server") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
