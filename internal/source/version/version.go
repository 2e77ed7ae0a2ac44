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

// IsRange tells whether s is a range such as "1.x", ">=1.2 <2" or "*",
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
	if len(within) > longest {
		return "", false
	}
	c, err := semver.NewConstraint(within)
	if err != nil {
		return "", false
	}
	var best *semver.Version
	for _, s := range versions {
		v := parse(s)
		if v == nil || !c.Check(v) {
			continue
		}
		if best == nil || newer(v, best) {
			best = v
		}
	}
	if best == nil {
		return "", false
	}
	return best.Original(), true
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
// that the range allows.
func Chart(want string, versions []string) (string, bool) {
	if want == "" {
		want = "*"
	}
	if slices.Contains(versions, want) {
		return want, true
	}
	if v := parse(want); v != nil {
		for _, s := range versions {
			if o := parse(s); o != nil && o.Equal(v) && o.Metadata() == v.Metadata() {
				return s, true
			}
		}
	}
	return Newest(want, versions)
}

// Sort orders versions from the newest to the oldest; what is no version comes last.
func Sort(versions []string) {
	slices.SortFunc(versions, func(a, b string) int {
		va, vb := parse(a), parse(b)
		switch {
		case va != nil && vb != nil:
			return cmp.Or(vb.Compare(va), strings.Compare(b, a))
		case va == nil && vb == nil:
			return strings.Compare(a, b)
		case va == nil:
			return 1
		}
		return -1
	})
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
