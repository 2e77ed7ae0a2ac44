// Package version chooses among tags and chart versions: by exact name, or
// the newest that a range allows.
//
// It knows strings only; where they come from is the caller's concern.
package version

import (
	"cmp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

const longest = 256

// IsRange reports whether s is a range such as "1.x", ">=1.2 <2" or "*",
// rather than a name or an exact version.
func IsRange(s string) bool {
	if s == "" || len(s) > longest {
		return false
	}
	if _, err := semver.NewVersion(s); err == nil {
		return false
	}
	_, err := semver.NewConstraint(s)
	return err == nil
}

// Newest returns the newest of the versions that the range allows. Those
// that are no semantic versions are passed over, and pre-releases too
// unless the range names one.
func Newest(within string, versions []string) (string, bool) {
	p := Within(within)
	if p == nil {
		return "", false
	}
	for _, s := range versions {
		p.Offer(s)
	}
	return p.Best()
}

// newer breaks ties of build metadata by text, so that the order in which
// versions are listed never matters.
func newer(a, b *semver.Version) bool {
	if c := a.Compare(b); c != 0 {
		return c > 0
	}
	return a.Original() > b.Original()
}

// Chart chooses a chart's version as Helm does: the newest stable one for
// "", else the exact one (with or without a leading v), else the newest
// that the range allows. What names less than three numbers, such as 1.2, is such a
// range unless a version is written so.
func Chart(want string, versions []string) (string, bool) {
	if want == "" {
		want = "*"
	}
	if slices.Contains(versions, want) {
		return want, true
	}
	if v := whole(want); v != nil {
		for _, s := range versions {
			if o := parse(s); o != nil && o.Equal(v) && o.Metadata() == v.Metadata() {
				return s, true
			}
		}
	}
	return Newest(want, versions)
}

// Is reports whether s is a version, however loosely it is written.
func Is(s string) bool { return parse(s) != nil }

// IsLoose reports whether s is a version that is not written as a whole, such as 1.2.
// Helm takes one for a range in an index, and for the name of a tag in a registry.
func IsLoose(s string) bool { return parse(s) != nil && whole(s) == nil }

// Sort orders versions from the newest to the oldest; what is no version comes last.
func Sort(versions []string) {
	type read struct {
		text    string
		version *semver.Version
	}
	all := make([]read, 0, len(versions))
	for _, s := range versions { // each is read once, and not at each comparison
		all = append(all, read{s, parse(s)})
	}
	slices.SortFunc(all, func(a, b read) int {
		switch {
		case a.version != nil && b.version != nil:
			return cmp.Or(b.version.Compare(a.version), strings.Compare(b.text, a.text))
		case a.version == nil && b.version == nil:
			return strings.Compare(a.text, b.text)
		case a.version == nil:
			return 1
		}
		return -1
	})
	for i, r := range all {
		versions[i] = r.text
	}
}

// whole is a version that is written as a whole; nil for all other texts.
func whole(s string) *semver.Version {
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(s, "v")); err != nil {
		return nil
	}
	return parse(s)
}

func parse(s string) *semver.Version {
	if len(s) > longest {
		return nil
	}
	v, err := semver.NewVersion(s)
	if err != nil {
		return nil
	}
	return v
}
