package gitops

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 objects", 1: "1 object", 2: "2 objects"} {
		if got := Count(n, "object"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFirstOfMany(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, names, listed, few string
	}{
		"None": {"nothing is said of none", "", "", ""},
		"Room": {"as many as there is room for", "a b", "a, b", "a; b"},
		"One":  {"the one that is too many is not named either", "a b c", "a, b and 1 more", "a; b; and 1 more"},
		"Many": {"those that are left out are counted", "a b c d e", "a, b and 3 more", "a; b; and 3 more"},
	} {
		t.Run(name, func(t *testing.T) {
			const most = 2
			names := strings.Fields(tc.names)
			if got := Listed(names, most); got != tc.listed {
				t.Errorf("%s: listed %q, want %q", tc.reason, got, tc.listed)
			}
			if got := strings.Join(Few(names, most), "; "); got != tc.few {
				t.Errorf("%s: few are %q, want %q", tc.reason, got, tc.few)
			}
			if got := strings.Join(names, " "); got != tc.names {
				t.Errorf("the names became %q", got)
			}
		})
	}
}

func TestFewOf(t *testing.T) {
	made := 0
	got := FewOf(make([]int, 1000), 1, func(int) string { made++; return "x" })
	if strings.Join(got, " ") != "x and 999 more" || made != 1 {
		t.Errorf("%q, of %d texts", got, made)
	}
	if got := FewOf([]int{}, 1, func(int) string { return "x" }); got != nil {
		t.Errorf("%q of nothing", got)
	}
}
