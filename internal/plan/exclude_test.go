package plan

import (
	"strings"
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

// A kind is left alone where it is excluded, or where others alone are included.
func TestKindsThatAreLeftAlone(t *testing.T) {
	const a, b = "https://a", "https://b"
	cases := map[string]struct {
		reason, exclusions, inclusions string
		group, kind, cluster           string
		want                           bool
	}{
		"Nothing":     {"nothing is said", "", "", "apps", "Deployment", a, false},
		"Excluded":    {"a kind of a group", "[{apiGroups: [cilium.io], kinds: [CiliumIdentity]}]", "", "cilium.io", "CiliumIdentity", a, true},
		"OtherKind":   {"and no other kind", "[{apiGroups: [cilium.io], kinds: [CiliumIdentity]}]", "", "cilium.io", "CiliumNode", a, false},
		"OtherGroup":  {"nor one of another group", "[{apiGroups: [cilium.io], kinds: [CiliumIdentity]}]", "", "x.io", "CiliumIdentity", a, false},
		"Group":       {"without kinds a whole group", `[{apiGroups: ["*.io"]}]`, "", "cilium.io", "CiliumNode", a, true},
		"NoPattern":   {"a kind is no pattern", `[{kinds: ["Cilium*"]}]`, "", "cilium.io", "CiliumNode", a, false},
		"Star":        {"but for the one of all", `[{apiGroups: [x], kinds: ["*"]}]`, "", "x", "Y", a, true},
		"Core":        {"the core group has no name", `[{apiGroups: [""], kinds: [Event]}]`, "", "", "Event", a, true},
		"Cluster":     {"in one cluster alone", "[{kinds: [Event], clusters: ['https://a']}]", "", "", "Event", b, false},
		"Included":    {"what is included is looked at", "", "[{apiGroups: [apps]}]", "apps", "Deployment", a, false},
		"NotIncluded": {"and what is not is left alone", "", "[{apiGroups: [apps]}]", "", "Event", a, true},
		"Elsewhere":   {"in clusters that it is about", "", "[{apiGroups: [apps], clusters: ['https://a']}]", "", "Event", b, false},
		"Both":        {"what is excluded wins", "[{kinds: [Deployment]}]", "[{apiGroups: [apps]}]", "apps", "Deployment", a, true},
		"Everything":  {"an entry of nothing is about all", "[{}]", "", "apps", "Deployment", a, true},
	}
	for name, c := range cases {
		f, err := parseFilter(map[string]string{v1alpha1.SettingExclusions: c.exclusions, v1alpha1.SettingInclusions: c.inclusions})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := f.leavesAlone(c.group, c.kind, c.cluster); got != c.want {
			t.Errorf("%s: %s: %v", name, c.reason, got)
		}
	}
	for _, key := range []string{v1alpha1.SettingExclusions, v1alpha1.SettingInclusions} {
		for _, text := range []string{"{", "a: b", "[{apiGroups: ['[']}]", "[{clusters: ['{a,[b']}]"} {
			if _, err := parseFilter(map[string]string{key: text}); err == nil || !strings.Contains(err.Error(), "the key "+key+" of ConfigMap argocd-cm") || !strings.Contains(err.Error(), "nothing is compared until then") {
				t.Errorf("%s of %s: %v", text, key, err)
			}
		}
	}
}
