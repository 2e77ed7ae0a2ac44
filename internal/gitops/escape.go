package gitops

import (
	"net/url"
	"strings"
)

// mostReadings bounds how often an escape is looked into that holds others.
// Proxies before a server decode once more than they should, and so may the
// server; nothing is known to decode as often as this.
const mostReadings = 8

// Readings are what a path may be to servers: as it is, decoded, and decoded
// again for as long as there is something to decode. An escape that is none
// stays in it and hides no other. Whole is false where it goes on.
func Readings(path string) (all []string, whole bool) {
	all = []string{path}
	for range mostReadings {
		plain := decoded(path)
		if plain == path {
			return all, true
		}
		path = plain
		all = append(all, path)
	}
	return all, decoded(path) == path
}

// decoded is a path without its outermost escapes.
func decoded(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var out strings.Builder
	for len(path) > 0 {
		if text, err := url.PathUnescape(path[:min(len(path), len("%2f"))]); path[0] == '%' && err == nil {
			out.WriteString(text)
			path = path[len("%2f"):]
			continue
		}
		out.WriteByte(path[0])
		path = path[1:]
	}
	return out.String()
}

// Climbs reports whether a path has a segment "." or "..", which a server may
// follow: it would name another place than rules see.
func Climbs(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
