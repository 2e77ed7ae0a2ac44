package offline

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// moves reports whether an address may lead to what the change moves: one of the
// checkout's, and not at a revision that stays, or one that a mirror has a folder
// of the checkout for. A text that merely has such a path in it counts, as
// addresses in kustomizations have more in them, and so does one that may be read
// in more ways than are looked at.
func (s *sideSources) moves(text, revision string) bool {
	all, whole := readings(text)
	has := func(place string) bool {
		place = plainly(place)
		return !whole || slices.ContainsFunc(all, func(reading string) bool { return leads(reading, place) })
	}
	own := slices.ContainsFunc(s.offline.names.addresses(), has)
	if revision = strings.TrimPrefix(strings.TrimSpace(revision), "refs/heads/"); own && s.branches[revision] {
		return true
	}
	return slices.ContainsFunc(s.offline.cfg.Mirrors, func(m source.Mirror) bool {
		_, inside, err := bounded.Within(s.offline.local.Dir(), m.Path)
		return (inside || err != nil) && has(address.Place(m.URL))
	})
}

// readings are what hosts and libraries may take a text with an address in it for, in
// small letters; whole is false where there are more.
func readings(text string) (all []string, whole bool) {
	escaped, whole := gitops.Readings(text)
	for _, reading := range escaped {
		reading = strings.ToLower(strings.ReplaceAll(reading, `\`, "/"))
		all = append(all, slashes.ReplaceAllString(reading, "/"), path.Clean(reading))
	}
	return all, whole
}

// plainly is a place without any escapes, as the last reading of its spellings has it.
func plainly(place string) string {
	all, _ := gitops.Readings(place)
	return strings.ToLower(all[len(all)-1])
}

// slashes are one to most servers.
var slashes = regexp.MustCompile(`/+`)

// leads reports whether a reading has the path of a place in it, whatever the host is
// called there, or the host of one that has no path. A name begins and ends as names
// do: "acme/fleet" is not in "acme/fleet-docs".
func leads(reading, place string) bool {
	name, isPath := place, false
	if i := strings.IndexAny(place, "/?"); i >= 0 {
		name, isPath = strings.TrimPrefix(place[i:], "/"), true
	}
	for at := 0; at <= len(reading); at++ {
		i := strings.Index(reading[at:], name)
		if i < 0 {
			return false
		}
		at += i
		before, after := reading[:at], reading[at+len(name):]
		isHost := isPath && webHost.MatchString(before[max(0, at-len("+https:/")):])
		if !isHost && !joined(before, name) && !joined(name, after) {
			return true
		}
	}
	return false
}

// webHost is before a host, and before no path: nobody calls a host of ssh so.
var webHost = regexp.MustCompile(`(^|[^a-z0-9.-])(https?|oci):/$`)

// joined reports whether one name goes on from a text to the next one. What hosts may
// take for an end is one: a dot, as of ".git", and letters of other scripts, too.
func joined(before, after string) bool {
	return before != "" && after != "" && ofName(before[len(before)-1]) && ofName(after[0])
}

func ofName(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}
