package version

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChart(t *testing.T) {
	have := []string{"1.0.0", "v1.2.0", "1.10.0", "2.0.0-rc.1", "nightly", "0.9.1+build.2"}
	cases := map[string]struct{ reason, want, got string }{
		"latest":      {"no version means the newest stable one", "", "1.10.0"},
		"any":         {"a star passes over pre-releases", "*", "1.10.0"},
		"pre":         {"a range with a pre-release takes them in", ">=1.0.0-0", "2.0.0-rc.1"},
		"exact":       {"an exact version", "1.0.0", "1.0.0"},
		"v":           {"a leading v does not matter", "1.2.0", "v1.2.0"},
		"v in want":   {"neither way round", "v1.0.0", "1.0.0"},
		"patch":       {"a wildcard", "1.2.x", "v1.2.0"},
		"tilde":       {"a tilde range", "~1.0", "1.0.0"},
		"interval":    {"two bounds", ">=1.0 <1.10", "v1.2.0"},
		"name":        {"a name that is listed", "nightly", "nightly"},
		"build":       {"build metadata is part of the name", "0.9.1+build.2", "0.9.1+build.2"},
		"none":        {"nothing fits", ">=3", ""},
		"wrong name":  {"no such name", "weekly", ""},
		"two numbers": {"two numbers are all versions that begin so, as Helm has it", "1", "1.10.0"},
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

// TestPartsOfVersions: Helm takes what is not written as a whole for a range, also
// where there is a version with zeros in the place of what is left out.
func TestPartsOfVersions(t *testing.T) {
	for name, c := range map[string]struct {
		reason, want, got string
		have              []string
	}{
		"Minor":   {"the newest patch", "1.2", "1.2.5", []string{"1.2.0", "1.2.5", "1.3.0"}},
		"Major":   {"the newest below the next major version", "1", "1.3.0", []string{"1.0.0", "1.3.0", "2.0.0"}},
		"Letter":  {"with a v before it, too", "v1.2", "1.2.5", []string{"1.2.0", "1.2.5", "1.3.0"}},
		"Written": {"one that is written so is that one", "1.2", "1.2", []string{"1.2.5", "1.2"}},
		"Rc":      {"a pre-release is not meant", "1.2", "1.2.5", []string{"1.2.0", "1.2.5", "1.2.9-rc.1"}},
		"Build":   {"a whole version is one build of it, with a v before it, too", "v1.0.0+a", "1.0.0+a", []string{"1.0.0+a", "1.0.0+b"}},
		"None":    {"nothing begins so", "1.2", "", []string{"1.20.0", "1.1.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Chart(c.want, c.have); got != c.got || ok != (c.got != "") {
				t.Errorf("%s: got %q, %t, want %q", c.reason, got, ok, c.got)
			}
		})
	}
}

// TestOrderOfAListDoesNotCount: servers list in any order, and may list twice.
func TestOrderOfAListDoesNotCount(t *testing.T) {
	for name, c := range map[string]struct {
		reason, want, got string
		have              []string
	}{
		"Builds":   {"of two builds of a version it is the later text", ">=1", "1.0.0+b", []string{"1.0.0+a", "1.0.0+b"}},
		"Letters":  {"so it is with and without a v", "1.x", "v1.0.0", []string{"1.0.0", "v1.0.0"}},
		"Numbers":  {"numbers are no texts", "*", "1.10.0", []string{"1.9.0", "1.10.0"}},
		"Pre":      {"a release is newer than what came before it", ">=1.0.0-0", "1.0.0", []string{"1.0.0-rc.10", "1.0.0"}},
		"PreOrder": {"the tenth candidate is newer than the ninth", ">=1.0.0-0", "1.0.0-rc.10", []string{"1.0.0-rc.9", "1.0.0-rc.10"}},
		"Twice":    {"what is listed twice is one", "1.x", "1.1.0", []string{"1.1.0", "1.1.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			for range c.have {
				if got, ok := Newest(c.want, c.have); got != c.got || !ok {
					t.Errorf("%s: of %q it is %q", c.reason, c.have, got)
				}
				c.have = append(c.have[1:], c.have[0])
			}
		})
	}
}

// TestPreReleasesAreNamed: who asks for what is stable gets no candidate, and a
// range is asked for candidates by a part of it that names one.
func TestPreReleasesAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		reason, within, got string
		have                []string
	}{
		"Alone":  {"there are only candidates", ">=1", "", []string{"1.0.0-rc.1", "2.0.0-rc.1"}},
		"Stable": {"what is stable is older", ">=1", "1.0.0", []string{"1.0.0", "2.0.0-rc.1"}},
		"Named":  {"a range that names one", ">=1.0.0-0", "2.0.0-rc.1", []string{"1.0.0", "2.0.0-rc.1"}},
		"Either": {"one of two ranges names one", "1.x || >=2.0.0-0", "2.0.0-rc.1", []string{"1.0.0", "2.0.0-rc.1"}},
		"Other":  {"the other one of two has a candidate, but does not name it", "1.x || >=9.0.0-0", "1.0.0", []string{"1.0.0", "1.1.0-rc.1"}},
		"Exact":  {"one candidate", "2.0.0-rc.1", "2.0.0-rc.1", []string{"2.0.0-rc.2", "2.0.0-rc.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Newest(c.within, c.have); got != c.got || ok != (c.got != "") {
				t.Errorf("%s: got %q", c.reason, got)
			}
		})
	}
}

// TestOverlongTextsAreNoVersions: strangers write them, and a range takes time
// that grows with its text.
func TestOverlongTextsAreNoVersions(t *testing.T) {
	within := strings.Repeat(">=1 ", longest/4)
	for text, want := range map[string]bool{within[:longest-1]: true, within + ">=1": false} {
		if got := IsRange(text); got != want {
			t.Errorf("%d letters are a range: %t", len(text), got)
		}
		if got := Within(text) != nil; got != want {
			t.Errorf("%d letters are picked by: %t", len(text), got)
		}
	}
	long := "1.0.0-" + strings.Repeat("a", longest)
	if got, ok := Chart(">=0.0.0-0", []string{long}); ok {
		t.Errorf("a version of %d letters is chosen", len(got))
	}
	if got, ok := Chart(long, []string{"2.0.0", long}); got != long || !ok {
		t.Errorf("a name that is listed is one, however long: %q", got)
	}
}

func TestNothingIsNewest(t *testing.T) {
	for reason, c := range map[string]struct {
		within string
		have   []string
	}{
		"there are no versions":      {"*", nil},
		"what is listed is none":     {"*", []string{"main", "", "1.2.3.4", "release-1.0.0"}},
		"a name is no range":         {"main", []string{"1.0.0"}},
		"nothing is no range":        {"", []string{"main"}},
		"bounds that exclude others": {">2 <1", []string{"1.0.0", "2.0.0"}},
	} {
		if got, ok := Newest(c.within, c.have); got != "" || ok {
			t.Errorf("%s: got %q, %t", reason, got, ok)
		}
	}
}

func TestVersionsAreSorted(t *testing.T) {
	want := []string{"2.0.0", "2.0.0-rc.1", "v1.10.0", "1.10.0", "1.9", "1.0.0+b", "1.0.0+a", "main", "zeta"}
	have := slices.Clone(want)
	for range have {
		have = append(have[1:], have[0])
		got := slices.Clone(have)
		Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("newest first, and names last: of %q\n%s", have, d)
		}
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
