package policy

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// repository is a repository's address as rules see it: in one form, however
// it was written.
type repository struct {
	address.Canonical
	// written is the address as Argo CD compares it, which tells more of them apart.
	written string
	// other is the path by which somebody else signs in to the same repository;
	// empty where there is none.
	other string
}

func repositoryOf(repoURL string) (repository, error) {
	at, err := address.Parse(strings.TrimSpace(repoURL))
	if err != nil {
		return repository{}, err
	}
	return repository{at.Canonical(), normalise(repoURL), at.OtherPath()}, nil
}

// place is host and path alone, without ports where schemes differ: the same
// repository is reached by https and by ssh.
func (r repository) place() string {
	if r.Host == "" {
		return "/" + r.Path
	}
	return r.Host + "/" + r.Path
}

// repositoryPattern is a pattern for repositories in the form of their addresses.
type repositoryPattern struct {
	// written is the pattern as Argo CD compares it.
	written string
	// scheme is that of the pattern, which may be a pattern itself; empty for one without.
	scheme string
	text   string
	place  string
}

var patterns = newMemo(parsePattern, length)

// patternOf brings a pattern to the form that addresses have.
func patternOf(pattern string) repositoryPattern { return patterns.of(pattern) }

// parsePattern takes a pattern as text all the way: it need not be an address.
func parsePattern(pattern string) repositoryPattern {
	p := address.Lower(strings.TrimSpace(pattern))
	scheme, rest, has := strings.Cut(p, "://")
	if !has {
		scheme, rest = schemeless(p)
	}
	written := gitops.QuoteHost(normalise(pattern))
	if scheme == "file" {
		path := address.PatternPath(rest)
		return repositoryPattern{written, scheme, "file:///" + path, "/" + path}
	}
	authority, path, below := strings.Cut(rest, "/")
	user, authority := cutUser(authority)
	host, port := hostForm(authority)
	place := host
	if port != "" && port != gitops.UsualPort(scheme) {
		place += ":" + port
	}
	if path = address.BelowHome(scheme, user, address.PatternPath(path)); below && path != "" {
		place, host = place+"/"+path, host+"/"+path
	}
	return repositoryPattern{written, scheme, withScheme(scheme, place), host}
}

// withScheme puts the scheme before a place as address.Canonical does.
func withScheme(scheme, place string) string {
	switch scheme {
	case "":
		return place
	case "ssh":
		return "git@" + place
	}
	return scheme + "://" + place
}

// schemeless finds the scheme of a pattern that has none: user@host:path is
// ssh, and a folder begins with a slash.
func schemeless(p string) (scheme, rest string) {
	if strings.HasPrefix(p, "/") {
		return "file", p
	}
	user, after, at := strings.Cut(p, "@")
	if !at || strings.ContainsAny(user, "/:") {
		return "", p
	}
	host, path, colon := cutHost(after)
	if !colon || strings.Contains(host, "/") || startsWithPort(path) {
		return "ssh", p
	}
	return "ssh", user + "@" + host + "/" + strings.TrimLeft(path, "/")
}

// cutUser parts who signs in from the server.
func cutUser(authority string) (user, server string) {
	i := strings.LastIndex(authority, "@")
	return authority[:max(i, 0)], authority[i+1:]
}

// permits reports whether a pattern that allows covers a repository, in its one
// form and as it is written: as Argo CD, it takes another port, user or slash at
// the end for another repository. Braces mean nothing in such patterns.
func (u repositoryPattern) permits(r repository, separator rune) bool {
	if strings.ContainsAny(u.written, "{}") || !match(u.written, r.written, separator) {
		return false
	}
	return match(u.text, r.String(), separator) || strings.HasSuffix(r.written, "/") && match(u.text, r.String()+"/", separator)
}

// readable reports whether a pattern says which repositories it means.
func (u repositoryPattern) readable() bool {
	return !broken(u.written) && !broken(u.text) && !broken(u.place)
}

// covers reports whether a pattern means a repository as it is reached, whose
// stars cross slashes.
func (u repositoryPattern) covers(r repository) bool {
	return match(u.written, r.written, 0) || match(u.text, r.String(), 0)
}

// concerns reports whether a pattern means a repository by whatever way it is
// reached: one that denies must not be walked around by another spelling,
// another scheme, another port of ssh, or another user's home folder.
func (u repositoryPattern) concerns(r repository, separator rune) bool {
	return slices.ContainsFunc(r.ways(), func(way repository) bool { return u.reaches(way, separator) })
}

// reaches is concerns for one way to a repository.
func (u repositoryPattern) reaches(r repository, separator rune) bool {
	if matchAny(u.written, r.written, separator) || matchAny(u.text, r.String(), separator) {
		return true
	}
	return (u.scheme != r.Scheme || r.Scheme == "ssh") && matchAny(u.place, r.place(), separator)
}

// ways are a repository, and what it may be besides.
func (r repository) ways() []repository {
	ways := []repository{r}
	if r.other != "" {
		other := r
		other.Path = r.other
		ways = append(ways, other)
	}
	if folded := strings.ToLower(r.Path); folded != r.Path {
		other := r
		other.Path = folded // a host may take K for k
		ways = append(ways, other)
	}
	if r.Query == "" {
		return ways
	}
	for _, way := range ways {
		way.Query = ""
		ways = append(ways, way)
	}
	return ways
}

// normalise brings the forms of one repository's address together as Argo CD
// does: case, the end ".git", and the two forms of ssh.
func normalise(repoURL string) string {
	u := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(repoURL)), ".git")
	rest, ssh := strings.CutPrefix(u, "ssh://")
	if !ssh && (strings.Contains(u, "://") || !strings.Contains(u, "@")) {
		return u
	}
	// user@host:path is user@host/path; a port stays.
	host, path, ok := cutHost(rest)
	if !ok || strings.Contains(host, "/") || startsWithPort(path) {
		return rest
	}
	return host + "/" + path
}

// cutHost parts a host from what follows its colon. Those in brackets are its own.
func cutHost(text string) (host, rest string, ok bool) {
	start := 0
	if open := strings.Index(text, "["); open >= 0 && open < strings.Index(text, ":") {
		start = max(strings.Index(text, "]"), 0)
	}
	host, rest, ok = strings.Cut(text[start:], ":")
	return text[:start] + host, rest, ok
}

func startsWithPort(s string) bool {
	port, _, ok := strings.Cut(s, "/")
	return ok && port != "" && strings.Trim(port, "0123456789") == ""
}
