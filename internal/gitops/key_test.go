package gitops

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestCheckKind(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		kind   schema.GroupVersionKind
		fits   bool
	}{
		"Core":       {"it has no group", schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, true},
		"Definition": {"as of a definition", schema.GroupVersionKind{Group: "ec2.aws.upbound.io", Version: "v1beta1", Kind: "VPCIPv4CidrBlockAssociation"}, true},
		"Dashed":     {"a definition may have dashes", schema.GroupVersionKind{Group: "a.test", Version: "v1", Kind: "My-kind"}, true},
		"NoVersion":  {"whichever it is", schema.GroupVersionKind{Group: "apps", Kind: "Deployment"}, true},
		"NoKind":     {"it is none", schema.GroupVersionKind{Group: "apps", Version: "v1"}, false},
		"LongGroup":  {"a group is a domain", schema.GroupVersionKind{Group: strings.Repeat("a", 254), Kind: "A"}, false},
		"OddGroup":   {"a group is a domain", schema.GroupVersionKind{Group: "a/../b", Kind: "A"}, false},
		"OddVersion": {"a version is a label", schema.GroupVersionKind{Group: "a", Version: "v1%2f..", Kind: "A"}, false},
		"LongKind":   {"a kind is a label, but for its case", schema.GroupVersionKind{Kind: strings.Repeat("A", 64)}, false},
		"OddKind":    {"a kind is one word", schema.GroupVersionKind{Kind: "A b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckKind(tc.kind)
			if (err == nil) != tc.fits || err != nil && len(err.Error()) > 200 {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// What is wrong with a kind names the part of it that somebody is to correct.
func TestWhatIsWrongWithAKind(t *testing.T) {
	for want, kind := range map[string]schema.GroupVersionKind{
		`"a_b" is no group of an API; correct apiVersion`:    {Group: "a_b", Version: "V1", Kind: "A b"},
		`"V1" is no version of an API; correct apiVersion`:   {Group: "a.b", Version: "V1", Kind: "A b"},
		`"A b" is no kind of an object; correct kind`:        {Group: "a.b", Version: "v1", Kind: "A b"},
		`"" is no kind of an object; correct kind`:           {Version: "v1"},
		`"Pod/log" is no kind of an object; correct kind`:    {Version: "v1", Kind: "Pod/log"},
		`"Ä" is no kind of an object; correct kind`:          {Version: "v1", Kind: "Ä"},
		`"v1.2" is no version of an API; correct apiVersion`: {Version: "v1.2", Kind: "A"},
	} {
		if err := CheckKind(kind); err == nil || err.Error() != want || !IsProblem(err, Invalid) {
			t.Errorf("of %v it is told %v, want %s", kind, err, want)
		}
	}
}
