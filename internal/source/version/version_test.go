package version

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChart(t *testing.T) {
	have := []string{"1.0.0", "v1.2.0", "1.10.0", "2.0.0-rc.1", "nightly", "0.9.1+build.2"}
	cases := map[string]struct{ reason, want, got string }{
		"latest":     {"no version means the newest stable one", "", "1.10.0"},
		"any":        {"a star passes over pre-releases", "*", "1.10.0"},
		"pre":        {"a range with a pre-release takes them in", ">=1.0.0-0", "2.0.0-rc.1"},
		"exact":      {"an exact version", "1.0.0", "1.0.0"},
		"v":          {"a leading v does not matter", "1.2.0", "v1.2.0"},
		"v in want":  {"neither way round", "v1.0.0", "1.0.0"},
		"patch":      {"a wildcard", "1.2.x", "v1.2.0"},
		"tilde":      {"a tilde range", "~1.0", "1.0.0"},
		"interval":   {"two bounds", ">=1.0 <1.10", "v1.2.0"},
		"name":       {"a name that is listed", "nightly", "nightly"},
		"build":      {"build metadata is part of the name", "0.9.1+build.2", "0.9.1+build.2"},
		"none":       {"nothing fits", ">=3", ""},
		"wrong name": {"no such name", "weekly", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := Chart(c.want, have)
			if got != c.got || ok != (c.got != "") {
				t.Errorf("%s: Chart(%q) = %q, %t; want %q", c.reason, c.want, got, ok, c.got)
			}
		})
	}
}

func TestIsRange(t *testing.T) {
	for s, want := range map[string]bool{
		"1.x": true, ">=1.2 <2": true, "*": true, "~1.2": true, "v1.x": true, "1.2.3 - 2.0": true,
		"1.2.3": false, "v1.2.3": false, "1.2": false, "main": false, "": false, "HEAD": false, "release-1.x": false,
	} {
		if got := IsRange(s); got != want {
			t.Errorf("IsRange(%q) = %t", s, got)
		}
	}
}

func TestSortAndNear(t *testing.T) {
	v := []string{"1.0.0", "x", "v1.2.0", "1.10.0"}
	Sort(v)
	if d := cmp.Diff([]string{"1.10.0", "v1.2.0", "1.0.0", "x"}, v); d != "" {
		t.Error(d)
	}
	if got, want := Near("mian", []string{"release", "main", "dev"}), "main, dev, release"; got != want {
		t.Errorf("Near: got %q, want %q", got, want)
	}
}

func FuzzChart(f *testing.F) {
	for _, s := range []string{"1.x", ">=1.2 <2", "*", "v1", "", "^0.1 || ~2"} {
		f.Add(s, "v1.2.3")
	}
	f.Fuzz(func(t *testing.T, want, have string) {
		versions := []string{"1.0.0", have, "2.0.0"}
		got, ok := Chart(want, versions)
		if !ok {
			return
		}
		for _, v := range versions {
			if v == got {
				return
			}
		}
		t.Errorf("Chart(%q) invented %q", want, got)
	})
}

func TestFirst(t *testing.T) {
	for names, want := range map[string]string{"": "", "a": "a", "a b c d e": "a, b, c, d, e", "a b c d e f": "a, b, c, d, e, …"} {
		if got := First(strings.Fields(names)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
