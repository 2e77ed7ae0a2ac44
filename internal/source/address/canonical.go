package address

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Canonical is a repository's address in the one form that rules compare: what
// leads to the same place is spelled in the same way, and who asks is left out.
// All of it is in lower case.
type Canonical struct {
	// Scheme is ssh for both forms of ssh; empty for a name without one.
	Scheme string
	// Host has no port and no dot at its end.
	Host string
	// Port is empty where it is the scheme's usual one.
	Port string
	// Path begins with no slash and ends without .git.
	Path string
	// Query is what follows "?", if anything does.
	Query string
}

// Canonical returns the one form of an address.
func (a Address) Canonical() Canonical {
	host, port := SplitPort(a.Host)
	plain, query, _ := strings.Cut(a.Path, "?")
	if a.Scheme == "file" {
		plain, query = a.Path, ""
	}
	c := Canonical{
		Scheme: a.Scheme, Host: canonicalHost(host), Port: port,
		Path: BelowHome(a.Scheme, a.User, canonicalPath(plain, asIs)), Query: Lower(query),
	}
	if port == gitops.UsualPort(a.Scheme) {
		c.Port = ""
	}
	return c
}

// String is the form that patterns of projects are held against. Those for ssh
// are written with the user git.
func (c Canonical) String() string {
	switch c.Scheme {
	case "":
		return c.Place()
	case "ssh":
		return "git@" + c.Place()
	}
	return c.Scheme + "://" + c.Place()
}

// Place is the form without the scheme: host and path, whichever way leads there.
func (c Canonical) Place() string {
	text := strings.TrimSuffix(c.at()+"/"+c.Path, "/")
	if c.Query != "" {
		text += "?" + c.Query
	}
	return text
}

var places = cache.New[string, string](kept)

// Place is that of a raw address in small letters, or Folded where it cannot be taken
// apart.
func Place(raw string) string {
	return remembered(places, raw, func() string {
		at, err := Parse(raw)
		if err != nil {
			return Folded(raw)
		}
		return strings.ToLower(at.Canonical().Place())
	})
}

func (c Canonical) at() string {
	if c.Port == "" {
		return c.Host
	}
	return c.Host + ":" + c.Port
}

// canonicalHost brings a host without a port to its one form. An IP address in
// brackets keeps them, unless it is one that is written without.
func canonicalHost(host string) string {
	inside, is := strings.CutPrefix(host, "[")
	if !is || !strings.HasSuffix(inside, "]") {
		return gitops.HostKey(host)
	}
	if host = gitops.HostKey(strings.TrimSuffix(inside, "]")); strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// PatternPath brings the path of a pattern to the form of paths in a Canonical.
// What is encoded in it is text, whatever sign of patterns it is.
func PatternPath(p string) string { return canonicalPath(p, quoted) }

// Lower makes the letters of ASCII small, as hosts do that take capitals for the same.
// Others stay: a path with İ or K is another one than that with i or k, and what is asked
// for has them as they are.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// canonicalPath is a path in lower case, which counts when it was decoded,
// because "%42" is a capital.
func canonicalPath(p string, write func(sign string) string) string {
	p = Lower(decoded(p, write))
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	p = strings.Trim(p, "/")
	for strings.HasSuffix(p, ".git") {
		p = strings.TrimRight(strings.TrimSuffix(p, ".git"), "/")
	}
	return p
}

const (
	// hidden are the signs that stay encoded: decoded, they would begin a query,
	// or an escape that is none.
	hidden = "?%"
	// signs have a meaning in patterns.
	signs = `*[]{}\`
)

func asIs(sign string) string { return sign }

func quoted(sign string) string {
	if strings.Contains(signs, sign) {
		return `\` + sign
	}
	return sign
}

// decoded is a path as a server reads it. One that no server reads stays as it is.
func decoded(p string, write func(sign string) string) string {
	if _, err := url.PathUnescape(p); err != nil {
		return p
	}
	var out strings.Builder
	for len(p) > 0 {
		n := 1
		if p[0] == '%' {
			n = len("%2f")
		}
		text, _ := url.PathUnescape(p[:n]) // the whole can be read
		switch {
		case n == 1:
		case strings.Contains(hidden, text):
			text = p[:n]
		default:
			text = write(text)
		}
		out.WriteString(text)
		p = p[n:]
	}
	return out.String()
}

// hostOf is a host in lower case, whose port has no zeros before it: programs
// read it as a number.
func hostOf(host string) string {
	host = strings.ToLower(host)
	name, port := SplitPort(host)
	if port == "" {
		return host
	}
	return name + ":" + PlainPort(port)
}

// PlainPort is a port without zeros before it. What is no number stays as it is.
func PlainPort(port string) string {
	if port == "" || strings.Trim(port, "0123456789") != "" {
		return port
	}
	return cmp.Or(strings.TrimLeft(port, "0"), "0")
}

// SplitPort parts a host from its port, which is empty where none is written. An
// IP address keeps its brackets.
func SplitPort(host string) (name, port string) {
	i := strings.LastIndex(host, ":")
	if i < 0 || strings.Contains(host[i:], "]") {
		return host, ""
	}
	return host[:i], host[i+1:]
}
