package plan

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestExcludedClusters(t *testing.T) {
	cases := map[string]struct {
		reason, pattern, server string
		want                    bool
	}{
		"exact":  {"the server as it is written", "https://prod.example.com", "https://prod.example.com", true},
		"star":   {"servers of some form", "https://prod-*", "https://prod-1.example.com", true},
		"class":  {"brackets are a sign", "https://prod-[12].example.com", "https://prod-2.example.com", true},
		"ipv6":   {"but for those of an address", "https://[fd00::10]:6443", "https://[fd00::10]:6443", true},
		"others": {"which mean no other server", "https://[fd00::10]:6443", "https://f:6443", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f, err := parseFilter(map[string]string{v1alpha1.SettingExclusions: `[{apiGroups: ["*"], kinds: [Event], clusters: ["` + c.pattern + `"]}]`})
			if err != nil {
				t.Fatal(err)
			}
			if got := f.leavesAlone("", "Event", c.server); got != c.want {
				t.Errorf("%s: got %t", c.reason, got)
			}
		})
	}
}
