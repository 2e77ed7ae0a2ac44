package address

import (
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
	host, port := splitPort(strings.ToLower(a.Host))
	plain, query, _ := strings.Cut(a.Path, "?")
	if a.Scheme == "file" {
		plain, query = a.Path, ""
	}
	c := Canonical{
		Scheme: a.Scheme, Host: strings.TrimSuffix(host, "."), Port: port,
		Path: CanonicalPath(strings.ToLower(plain)), Query: strings.ToLower(query),
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

// CanonicalPath brings a path in lower case, or a pattern for some, to its one
// form. A percent sign that hides a sign of patterns stays.
func CanonicalPath(p string) string {
	if plain, err := url.PathUnescape(p); err == nil && strings.Count(plain, "*")+strings.Count(plain, "?") == strings.Count(p, "*")+strings.Count(p, "?") {
		p = plain
	}
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	p = strings.Trim(p, "/")
	for strings.HasSuffix(p, ".git") {
		p = strings.TrimRight(strings.TrimSuffix(p, ".git"), "/")
	}
	return p
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
