package address

import (
	"cmp"
	"net/url"
	"strings"
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
	host, port := splitPort(a.Host)
	plain, query, _ := strings.Cut(a.Path, "?")
	if a.Scheme == "file" {
		plain, query = a.Path, ""
	}
	c := Canonical{
		Scheme: a.Scheme, Host: strings.TrimSuffix(host, "."), Port: port,
		// A star of an address is no sign: it has the form of one that is encoded.
		Path: strings.ReplaceAll(CanonicalPath(plain), "*", "%2a"), Query: strings.ToLower(query),
	}
	if UsualPort(a.Scheme, port) {
		c.Port = ""
	}
	return c
}

// String is the form that patterns of projects are held against. Those for ssh
// are written with the user git.
func (c Canonical) String() string {
	text := strings.TrimSuffix(c.at()+"/"+c.Path, "/")
	if c.Query != "" {
		text += "?" + c.Query
	}
	switch c.Scheme {
	case "":
		return text
	case "ssh":
		return "git@" + text
	}
	return c.Scheme + "://" + text
}

func (c Canonical) at() string {
	if c.Port == "" {
		return c.Host
	}
	return c.Host + ":" + c.Port
}

// CanonicalPath brings a path, or a pattern for some, to its one form: in lower
// case, which counts when it was decoded, because "%42" is a capital.
func CanonicalPath(p string) string {
	p = strings.ToLower(decoded(p))
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	p = strings.Trim(p, "/")
	for strings.HasSuffix(p, ".git") {
		p = strings.TrimRight(strings.TrimSuffix(p, ".git"), "/")
	}
	return p
}

// hidden are the signs that stay encoded: decoded, they would be signs of
// patterns, or begin an escape that is none.
const hidden = "*?%"

// decoded is a path as a server reads it. One that no server reads stays as it is.
func decoded(p string) string {
	if _, err := url.PathUnescape(p); err != nil {
		return p
	}
	var out strings.Builder
	for len(p) > 0 {
		n := 1
		if p[0] == '%' {
			n = len("%2f")
		}
		plain, _ := url.PathUnescape(p[:n]) // the whole can be read
		if n > 1 && strings.Contains(hidden, plain) {
			plain = p[:n]
		}
		out.WriteString(plain)
		p = p[n:]
	}
	return out.String()
}

// UsualPort reports whether a port is the one that a scheme has anyway.
func UsualPort(scheme, port string) bool {
	for _, usual := range defaultPorts[scheme] {
		if usual == ":"+port {
			return true
		}
	}
	return false
}

// hostOf is a host in lower case, whose port has no zeros before it: programs
// read it as a number.
func hostOf(host string) string {
	host = strings.ToLower(host)
	name, port := splitPort(host)
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

// splitPort parts a host from its port, which is empty where none is written.
func splitPort(host string) (name, port string) {
	i := strings.LastIndex(host, ":")
	if i < 0 || strings.Contains(host[i:], "]") {
		return host, ""
	}
	return host[:i], host[i+1:]
}

// climbs reports whether a path has a segment "." or "..", which a server may
// follow: it would name another repository than the rules see.
func climbs(p string) bool {
	plain, err := url.PathUnescape(p)
	if err != nil {
		plain = p
	}
	for segment := range strings.SplitSeq(plain, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
