// Package address understands the addresses under which repositories are
// written: URLs, scp-like SSH names, local folders and OCI names without a
// scheme. It decides which of them mean the same repository.
//
// It does not know credentials or mirrors and never touches the network.
package address

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Address is a repository's address taken apart.
type Address struct {
	// Scheme is file, http, https, ssh, git or oci; empty for a name without one.
	Scheme string
	// User and Password are the userinfo; a password never leaves this
	// value through String or Name.
	User, Password string
	// Host is in lower case, with a port when one is written, without zeros before it.
	Host string
	// Path has no trailing slash; it starts with "/" except in scp-like names.
	// What a URL has after "?" is a part of it, with the sign.
	Path string
	scp  bool
}

const longest = 4096

var (
	schemes = map[string]bool{"file": true, "http": true, "https": true, "ssh": true, "git": true, "oci": true}
	// misread are words before a colon that are schemes to people and browsers, and
	// would be hosts of ssh in the short form: no repository is there.
	misread = map[string]bool{
		"about": true, "blob": true, "data": true, "file": true, "ftp": true, "ftps": true, "http": true, "https": true, "javascript": true,
		"mailto": true, "oci": true, "sftp": true, "tel": true, "vbscript": true, "view-source": true, "ws": true, "wss": true,
	}
	scpForm = regexp.MustCompile(`^(?:([A-Za-z0-9._~+-]+)@)?([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9a-fA-F:]+\]):([^/:][^:]*|/.*)$`)
	ociPort = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*:[0-9]{1,5}(/.*)?$`)
	urlHost = regexp.MustCompile(`^(\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9._-]*)(:[0-9]{1,5})?$`)
	ociHost = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)
	// helper is how git is told of a program to run: the first thing in an address,
	// in the signs of schemes. The colons of an IP address are elsewhere.
	helper = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)
	// slashes are one to most servers.
	slashes = regexp.MustCompile(`/+`)
)

// Parse takes an address apart. It refuses what a program could mistake for
// an option or for another place, what no server is told, and schemes other than
// the six above.
func Parse(raw string) (Address, error) {
	if err := check(raw); err != nil {
		return Address{}, err
	}
	a, err := parse(raw)
	if err == nil {
		err = a.refuse()
	}
	if err != nil {
		return Address{}, err
	}
	return a, nil
}

func parse(raw string) (Address, error) {
	switch {
	case strings.Contains(raw, "://"):
		return parseURL(raw)
	case strings.HasPrefix(raw, "/"):
		return folder(raw)
	case ociPort.MatchString(raw):
		return bare(raw)
	}
	if m := scpForm.FindStringSubmatch(raw); m != nil && trim(m[3]) != "" {
		if m[1] == "" && misread[strings.ToLower(m[2])] {
			return Address{}, fmt.Errorf("%q begins an address of another kind: a repository's begins with https://, http://, ssh://, git://, oci:// or file://, or is as git@HOST:PATH", m[2]+":")
		}
		return Address{Scheme: "ssh", User: m[1], Host: hostOf(m[2]), Path: trim(m[3]), scp: true}, nil
	}
	return bare(raw)
}

func check(raw string) error {
	switch {
	case raw == "":
		return errors.New("the repository's address is empty")
	case len(raw) > longest:
		return fmt.Errorf("the repository's address has more than %d characters", longest)
	case strings.HasPrefix(raw, "-"):
		return errors.New("a repository's address cannot start with a dash")
	case helper.MatchString(raw):
		return errors.New("remote helpers (name::address) are not allowed")
	case strings.Contains(raw, `\`):
		return errBackslash
	}
	for _, r := range raw {
		if unicode.IsControl(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar {
			return errControl
		}
	}
	return nil
}

func parseURL(raw string) (Address, error) {
	if strings.Contains(raw, "#") {
		return Address{}, errFragment
	}
	u, err := url.Parse(raw)
	if err != nil {
		// url's error repeats the whole address, which may hold a password.
		return Address{}, errors.New("the repository's address is not a URL")
	}
	scheme := strings.ToLower(u.Scheme)
	if !schemes[scheme] {
		return Address{}, fmt.Errorf("scheme %q is not one of file, git, http, https, oci and ssh", u.Scheme)
	}
	if scheme == "file" {
		if u.Host != "" && u.Host != "localhost" {
			return Address{}, errors.New("a file address needs three slashes: file:///folder")
		}
		return folder("/" + u.Path)
	}
	host := hostOf(u.Host)
	if !urlHost.MatchString(host) {
		return Address{}, errors.New("the repository's address names no host")
	}
	a := Address{Scheme: scheme, User: u.User.Username(), Host: host, Path: trim(u.EscapedPath())}
	a.Password, _ = u.User.Password()
	if u.RawQuery != "" {
		a.Path += "?" + u.RawQuery
	}
	return a, nil
}

func folder(name string) (Address, error) {
	if all, _ := gitops.Readings(name); slices.ContainsFunc(all, gitops.Climbs) { // Clean would follow it
		return Address{}, errClimbs
	}
	name = path.Clean(name)
	if strings.ContainsFunc(name, unicode.IsControl) {
		return Address{}, errors.New("a folder's name cannot hold control characters")
	}
	if name == "/" {
		return Address{}, errors.New("the root folder is no repository")
	}
	return Address{Scheme: "file", Path: name}, nil
}

func bare(raw string) (Address, error) {
	host, rest, _ := strings.Cut(raw, "/")
	name, _, port := strings.Cut(host, ":")
	if !ociHost.MatchString(name) || (port && !ociPort.MatchString(host)) {
		return Address{}, fmt.Errorf("%q is neither a URL, an absolute folder nor a registry name", gitops.PublicAddress(raw))
	}
	a := Address{Host: hostOf(host)}
	if rest = trim(rest); rest != "" {
		a.Path = "/" + rest
	}
	return a, nil
}

func trim(p string) string { return strings.TrimRight(p, "/") }

// String is the address without its password.
func (a Address) String() string {
	switch {
	case a.Scheme == "file":
		return (&url.URL{Scheme: "file", Path: a.Path}).String()
	case a.scp:
		return a.at() + ":" + a.Path
	case a.Scheme == "":
		return a.Host + a.Path
	}
	return a.Scheme + "://" + a.at() + a.Path
}

// IsWeb reports whether a web server has what is at the address.
func (a Address) IsWeb() bool { return IsWeb(a.Scheme) }

// IsWeb reports whether a scheme is that of web servers.
func IsWeb(scheme string) bool { return scheme == "http" || scheme == "https" }

// Hostname is the host without its port.
func (a Address) Hostname() string {
	host, _ := SplitPort(a.Host)
	return host
}

func (a Address) at() string {
	if a.User == "" {
		return a.Host
	}
	if a.scp {
		return a.User + "@" + a.Host
	}
	return url.User(a.User).String() + "@" + a.Host
}

// Name is what all ways to write one repository have in common: host and
// path, without scheme, user, default port and the ending ".git".
func (a Address) Name() string {
	p := unended(a.Path)
	if a.Scheme == "file" {
		return "/" + p
	}
	host := a.Host
	if name, port := SplitPort(host); port == gitops.UsualPort(a.Scheme) {
		host = name
	}
	if p == "" {
		return host
	}
	return host + "/" + p
}

// unended is a path without slashes around it and the ending ".git".
func unended(p string) string {
	p = strings.Trim(p, "/")
	for strings.HasSuffix(p, ".git") {
		p = strings.TrimRight(strings.TrimSuffix(p, ".git"), "/")
	}
	return p
}

// Name returns the Name of a raw address, or the address itself when it
// cannot be taken apart.
func Name(raw string) string {
	a, err := Parse(raw)
	if err != nil {
		return raw
	}
	return a.Name()
}

// kept is how many bytes of names are remembered: each change of a repository is
// held against all that anybody asks for.
const kept = 8 << 20

var folded = cache.New[string, string](kept)

// Folded is Name in small letters: hosts do not tell names apart by case. Whoever
// asks for a repository is known by it, however the address was written.
func Folded(raw string) string {
	return remembered(folded, raw, func() string { return strings.ToLower(Name(raw)) })
}

func remembered(names *cache.LRU[string, string], raw string, find func() string) string {
	if name, ok := names.Get(raw); ok {
		return name
	}
	name := find()
	names.Put(raw, name, int64(len(raw)+len(name)+entry))
	return name
}

// Alike is the same for what a host may take for one repository: in small letters,
// with what is escaped written out, each slash once, and no ending ".git". Who is
// another user of ssh has another home.
func (a Address) Alike() string {
	host, p, _ := strings.Cut(a.Name(), "/")
	if plain, err := url.PathUnescape(p); err == nil {
		p = plain
	}
	alike := host + "/" + unended(slashes.ReplaceAllString(strings.ToLower(p), "/"))
	if a.Scheme == "ssh" && a.User != "git" {
		alike = strings.ToLower(a.User) + "@" + alike
	}
	return alike
}

// entry is what a remembered name takes besides its letters, in bytes.
const entry = 256

// OneRepository refuses an address that would be a pattern where what a project
// permits is compared. A query may have such signs.
func OneRepository(raw string) error {
	bare, _, _ := strings.Cut(raw, "?")
	if sign := gitops.SignOfPattern(bare); sign != "" {
		return fmt.Errorf("it has the sign %s of patterns: write the address of one repository, or for a template the beginning that its repositories share", sign)
	}
	return nil
}
