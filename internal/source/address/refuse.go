package address

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What refuses an address, or the name of a chart, that a program would read as
// that of another place than rules see.
var (
	errClimbs     = errors.New("a repository's address cannot hold a segment of one or two dots")
	errBackslash  = errors.New("a repository's address cannot hold a backslash: some servers take it for a slash")
	errControl    = errors.New("a repository's address cannot hold spaces or control characters")
	errParameters = errors.New("a repository's address cannot hold a semicolon: some servers leave out what a segment has from there on")
	errFragment   = errors.New("a repository's address cannot hold a # and what follows it: no server is told of that; a # of its own is %23")
	errNested     = errors.New("a repository's address cannot hold escapes of escapes of escapes: nobody can tell what a server makes of them")
	errHome       = errors.New("git takes a tilde in the second place of such an address for the start of a home folder: write ssh:// before it")
)

// parametric are the schemes whose servers may read ";x" as the parameters of a
// segment, which is then another one: "..;" is the folder above.
var parametric = map[string]bool{"http": true, "https": true, "oci": true, "": true}

// refuse says why a path may be read in two ways; nil where there is one. Some
// servers decode a path more than once, or have a proxy before them that does.
func (a Address) refuse() error {
	p, query, _ := strings.Cut(a.Path, "?")
	paths, whole := gitops.Readings(p)
	queries, wholeQuery := gitops.Readings(query)
	for _, plain := range paths {
		if err := a.refuseAs(plain); err != nil {
			return err
		}
	}
	switch {
	case slices.ContainsFunc(queries, gitops.Climbs):
		return errClimbs
	case !whole || !wholeQuery:
		return errNested
	case a.scp && len(p) > 1 && p[0] != '/' && p[1] == '~':
		return errHome
	}
	return nil
}

// refuseAs is refuse for one reading of the path.
func (a Address) refuseAs(plain string) error {
	switch {
	case gitops.Climbs(plain):
		return errClimbs
	case strings.Contains(plain, `\`):
		return errBackslash
	case strings.ContainsFunc(plain, unicode.IsControl):
		return errControl
	case parametric[a.Scheme] && strings.Contains(plain, ";"):
		return errParameters
	}
	return nil
}

// CheckChart refuses the name of a chart that leads out of the registry's
// folder in which it is looked for: credentials and rules are about that folder.
func CheckChart(name string) error {
	return Address{Path: "/" + name}.refuse()
}
