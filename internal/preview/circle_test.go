package preview_test

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func TestCircle(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  treetest.Files
		want   string
	}{
		"Two": {
			"applications that make each other are named with the way round",
			treetest.Files{"a/b.yaml": application("b", "b", "hub"), "b/a.yaml": application("a", "a", "hub")},
			"→",
		},
		"Itself": {
			"one that manages itself as it is declared is no mistake",
			treetest.Files{"root/root.yaml": application("root", "root", "hub")},
			"",
		},
		"None": {
			"a chain has an end",
			treetest.Files{"root.yaml": application("root", "a", "hub"), "a/b.yaml": application("b", "b", "hub"), "b/cm.yaml": configMap("x", "1")},
			"",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, w := range newCheckout(t, tc.files).lint().Warnings {
				if w.Reason == "Circle" {
					all = append(all, w.Message)
				}
			}
			got := strings.Join(all, "\n")
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}
