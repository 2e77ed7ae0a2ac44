package address

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// place is where a repository is, in the parts of which addresses are made.
type place struct{ scheme, host, port, path string }

var usual = map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418"}

// speller writes a place in ways that somebody's choices decide.
type speller struct{ choices uint64 }

// among takes one of some ways.
func (s *speller) among(ways ...string) string {
	s.choices = s.choices*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
	return ways[(s.choices>>33)%uint64(len(ways))]
}

// letters spells a text, each of its letters in one of some ways.
func (s *speller) letters(text string, ways func(c string) []string) string {
	var out strings.Builder
	for _, c := range text {
		out.WriteString(s.among(ways(string(c))...))
	}
	return out.String()
}

// capital is a letter in both cases.
func capital(c string) []string { return []string{c, strings.ToUpper(c)} }

// encoded is a letter in both cases, as it is and as a server decodes it.
func encoded(c string) []string {
	if c == "/" {
		return []string{"/", "//", "%2f", "%2F"}
	}
	upper, plain := strings.ToUpper(c), url.PathEscape(c)
	if c == "*" {
		plain = c
	}
	return []string{plain, fmt.Sprintf("%%%02x", c[0]), fmt.Sprintf("%%%02X", c[0]), fmt.Sprintf("%%%02X", upper[0])}
}

// spell is an address of a place.
func (s *speller) spell(p place) string {
	ending := s.among("", "/", ".git", ".git/", ".git//")
	if p.scheme == "ssh" && p.port == usual["ssh"] && s.among("url", "scp") == "scp" {
		user := s.among("git@", "me@", "")
		if p.path[0] <= '9' { // a number after the host would be the port of a registry
			user = "git@"
		}
		return user + s.letters(p.host, capital) + ":" + s.letters(p.path, capital) + ending
	}
	port := s.among(":", ":0", ":00") + p.port
	if p.port == usual[p.scheme] {
		port = s.among("", port)
	}
	return s.letters(p.scheme, capital) + "://" + s.among("", "me@", "me:pw@") + s.letters(p.host, capital) + s.among("", ".") + port +
		"/" + s.letters(p.path, encoded) + ending
}

// read are parts that somebody names, if they can be those of a place.
func read(scheme, host, path string, port uint16) (place, bool) {
	p := place{scheme: []string{"https", "http", "ssh", "git"}[len(scheme)%4], host: host, port: strconv.Itoa(max(int(port), 1)), path: path}
	if port == 0 {
		p.port = usual[p.scheme]
	}
	return p, hostText.MatchString(host) && pathText.MatchString(path) && !slices.ContainsFunc(strings.Split(path, "/"), ambiguous) && p.clear()
}

// clear reports whether a path means one place, however often a server decodes it.
func (p place) clear() bool {
	all, whole := gitops.Readings(p.path)
	for _, reading := range all {
		read := place{p.scheme, p.host, p.port, reading}
		if gitops.Climbs(reading) || read.special() || strings.ContainsAny(reading, "\\\x7f") || strings.ContainsFunc(reading, unicode.IsControl) {
			return false
		}
	}
	// A spelling may escape it once more, in which the reading that is one too many is found.
	return whole && len(all) < deepest
}

// deepest is below what is refused for its depth, with room for a spelling.
const deepest = 8

// special reports whether a path means more to the servers of its scheme than it says.
func (p place) special() bool {
	if parametric[p.scheme] {
		return strings.Contains(p.path, ";")
	}
	return strings.Contains(p.path[:min(len(p.path), 2)], "~")
}

var (
	hostText = regexp.MustCompile(`^[a-z0-9]{1,20}$`)
	pathText = regexp.MustCompile(`^[][a-z0-9_.~%*?@:;,=+/{}-]{1,40}$`)
)

// ambiguous is a part of a path that addresses leave out or refuse.
func ambiguous(part string) bool {
	return part == "" || part == "." || part == ".." || strings.HasSuffix(part, ".git")
}

// FuzzSpellings writes two places in any way, and asks whether their one form
// is the same: exactly where the places are.
func FuzzSpellings(f *testing.F) {
	f.Add("", "h", "a/b", uint16(0), uint64(0), uint64(0x5555_5555_5555_5555))
	f.Add("", "h", "a/b", uint16(8443), uint64(1<<40), uint64(0x1234_5678_9abc_def0))
	f.Add("ssh", "h", "org/k", uint16(0), uint64(7), uint64(0xffff_ffff_ffff_ffff))
	f.Add("", "h", "a%61/*", uint16(1), uint64(3), uint64(0x0fed_cba9_8765_4321))
	f.Add("", "h", "a/%2e%2e/b", uint16(0), uint64(5), uint64(0x0123_4567_89ab_cdef))
	f.Add("", "h", "a%2561/b", uint16(0), uint64(9), uint64(0xfedc_ba98_7654_3210))
	f.Fuzz(func(t *testing.T, scheme, host, path string, port uint16, one, two uint64) {
		p, ok := read(scheme, host, path, port)
		if !ok {
			return
		}
		s := speller{one}
		a := canonicalOf(t, s.spell(p), p)
		s = speller{two}
		b := canonicalOf(t, s.spell(p), p)
		if a != b {
			t.Errorf("%+v is %+v, and in another spelling %+v", p, a, b)
		}
		other := p
		other.host += "x"
		differs(t, a, other)
		other = p
		other.path += "x"
		differs(t, a, other)
		other = p
		other.port += "1"
		if len(other.port) <= len("65535") {
			differs(t, a, other)
		}
		if p.scheme == "https" {
			other = p
			other.scheme = "http"
			differs(t, a, other)
		}
	})
}

func differs(t *testing.T, a Canonical, other place) {
	t.Helper()
	s := speller{}
	if b := canonicalOf(t, s.spell(other), other); a == b || a.String() == b.String() {
		t.Errorf("%+v has the form of another place: %s", other, a)
	}
}

// canonicalOf is the one form of what was spelled, which stays as it is when
// it is brought to that form again.
func canonicalOf(t *testing.T, spelled string, p place) Canonical {
	t.Helper()
	if helper.MatchString(spelled) || (!strings.Contains(spelled, "://") && strings.ContainsAny(p.path, "%*?:@[]{}")) {
		t.Skip("it has no such spelling")
	}
	at, err := Parse(spelled)
	if err != nil {
		t.Fatalf("%+v as %q: %v", p, spelled, err)
	}
	c := at.Canonical()
	if again := canonicalPath(c.Path, asIs); again != c.Path {
		t.Errorf("%q has the path %q, and that has the path %q", spelled, c.Path, again)
	}
	return c
}
