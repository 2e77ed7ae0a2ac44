package bounded

import (
	"strings"
	"testing"
)

func TestPatternsAreBounded(t *testing.T) {
	for text, fine := range map[string]bool{
		"apps/*/values.yaml": true, "{a,b}/**/{c,d,e}.yaml": true, strings.Repeat("{a}", 40): true, "{" + strings.Repeat("a,", 900) + "b}": true,
		strings.Repeat("{a,a}", 40): false, strings.Repeat("{a,", 40) + "b" + strings.Repeat("}", 40): false, `\{` + strings.Repeat("{a,a}", 40): false,
		// What closes no group, and what the libraries do not agree on.
		strings.Repeat(`{[}],a,a}`, 10): false, strings.Repeat(`{\},a,a}`, 10): false, strings.Repeat(`{\},a,a`, 10): false, strings.Repeat(`{[\]}],a,a}`, 10): false,
		"{a,b}/[a-z]*.yaml": true, "{a,b,c}/{d,e}/[0-9].yaml": true, `apps/\{a,b\}.yaml`: true,
		strings.Repeat("{", 3000): false, strings.Repeat("*", 5000): false,
	} {
		if err := Pattern(text); (err == nil) != fine || err != nil && !IsCostly(err) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}
