package address

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
)

// What refuses an address, or the name of a chart, that a program would read as
// that of another place than rules see.
var (
	errClimbs     = errors.New("a repository's address cannot hold a segment of one or two dots")
	errBackslash  = errors.New("a repository's address cannot hold a backslash: some servers take it for a slash")
	errControl    = errors.New("a repository's address cannot hold spaces or control characters")
	errParameters = errors.New("a repository's address cannot hold a semicolon: some servers leave out what a segment has from there on")
	errHome       = errors.New("git takes a tilde in the second place of such an address for the start of a home folder: write ssh:// before it")
)

// parametric are the schemes whose servers may read ";x" as the parameters of a
// segment, which is then another one: "..;" is the folder above.
var parametric = map[string]bool{"http": true, "https": true, "oci": true, "": true}

// refuse says why a path may be read in two ways; nil where there is one.
func (a Address) refuse() error {
	p, query, _ := strings.Cut(a.Path, "?")
	plain := unescaped(p)
	switch {
	case climbs(plain + "?" + unescaped(query)):
		return errClimbs
	case strings.Contains(plain, `\`):
		return errBackslash
	case strings.ContainsFunc(plain, unicode.IsControl):
		return errControl
	case parametric[a.Scheme] && strings.Contains(plain, ";"):
		return errParameters
	case a.scp && len(p) > 1 && p[0] != '/' && p[1] == '~':
		return errHome
	}
	return nil
}

// CheckChart refuses the name of a chart that leads out of the registry's
// folder in which it is looked for: credentials and rules are about that folder.
func CheckChart(name string) error {
	return Address{Path: "/" + name}.refuse()
}

func unescaped(p string) string {
	plain, err := url.PathUnescape(p)
	if err != nil {
		return p
	}
	return plain
}

// climbs reports whether a path has a segment "." or "..", which a server may
// follow: it would name another repository than the rules see.
func climbs(plain string) bool {
	for segment := range strings.SplitSeq(plain, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
