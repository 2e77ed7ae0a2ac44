package gitops

import (
	"net/url"
	"regexp"
	"strings"
)

// Redacted is what stands where a text is that is never shown: what a credential prints, and
// what is left of a secret that others repeated.
const Redacted = "[redacted]"

// scpUser is who asks by ssh, in an address without a scheme.
var scpUser = regexp.MustCompile(`^[A-Za-z0-9._~+-]+@[^/@:]+:|^[A-Za-z0-9._~+-]+@\[[0-9A-Fa-f:]+\]:`)

// PublicAddress is a raw address fit for messages: without a query and a
// fragment, and without who asks, all of which may be a token. A user of ssh
// stays, who is no secret and is needed to read the address. One without such
// parts is exactly as it was written.
//
// Two repositories may have one public address: what compares them compares
// what was written.
func PublicAddress(raw string) string {
	scheme, rest, is := strings.Cut(raw, "://")
	if !is {
		return publicName(raw)
	}
	if _, err := url.Parse(raw); err != nil {
		return veiled(raw)
	}
	authority, path, below := strings.Cut(plainAddress(rest), "/")
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		authority = shownUser(scheme, authority[:at]) + authority[at+1:]
	}
	if below {
		authority += "/" + path
	}
	return scheme + "://" + authority
}

// shownUser is what may be shown of who asks, with its sign.
func shownUser(scheme, userinfo string) string {
	user, _, _ := strings.Cut(userinfo, ":")
	if !strings.EqualFold(scheme, "ssh") || user == "" {
		return ""
	}
	return user + "@"
}

// publicName is PublicAddress for what has no scheme: folders, names of ssh and
// of registries.
func publicName(raw string) string {
	if strings.HasPrefix(raw, "/") {
		return raw
	}
	before, _, is := cutLast(raw, "@")
	if !is || scpUser.MatchString(raw) || strings.Contains(before, "/") && !strings.Contains(before, ":") {
		return plainAddress(raw)
	}
	return veiled(raw)
}

// veiled is PublicAddress for what nobody can read: a secret may end at any "@".
func veiled(raw string) string {
	if _, after, is := cutLast(raw, "@"); is {
		raw = "…@" + after
	}
	return plainAddress(raw)
}

// plainAddress is an address without a query and a fragment.
func plainAddress(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		return raw[:i]
	}
	return raw
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
