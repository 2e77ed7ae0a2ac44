package kustomize

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
)

// fetchable is how entries begin that the library fetches.
var fetchable = regexp.MustCompile(`(?i)^(git::)?(ssh://|https?:|file://|[a-z][a-z0-9-]*@|github\.com[/:])`)

// elsewhere reports whether the library would fetch an entry: by git for folders,
// by HTTP for files. The pattern takes in more than the library does; where it takes in
// less, the library's own parser decides: it makes letters small in another way,
// by which gİthub.com/o/r is a repository.
func elsewhere(entry string) bool {
	if fetchable.MatchString(entry) {
		return true
	}
	unforced := gitPrefix.ReplaceAllString(entry, "") // the parser logs a line for each
	return new(resource.Origin).Append(unforced).Repo != ""
}

// here leads from a folder to itself. Nobody writes it so, which is why it can be
// taken out of messages again.
const here = "././"

// beside spells the path of a file or folder so that nothing that reads addresses
// takes it for one, where something might.
func beside(entry string) string {
	first, _, _ := strings.Cut(entry, "/")
	if strings.HasPrefix(first, ".") || !strings.ContainsFunc(first, ofHosts) {
		return entry
	}
	return here + entry
}

// ofHosts reports whether a character ends a scheme, user or host, or may be left out, or
// become another one, where addresses are compared.
func ofHosts(c rune) bool { return c == ':' || c == '@' || c <= ' ' || c >= '\x7f' }

// address is a Git address as Kustomize writes it, taken apart.
type address struct {
	// repo is what to clone: scheme, user, host and the repository's path.
	repo string
	// path is the folder, or file, in the repository; "." is its root.
	path string
	// ref is the branch, tag or commit; empty for HEAD.
	ref string
	// explicit tells that the address is marked as a repository's: by .git,
	// _git, //, a ref or a scheme that serves nothing else.
	explicit bool
	// leaves tells that the path leads out of the repository.
	leaves bool
}

var (
	scheme    = regexp.MustCompile(`(?i)^(ssh|https?|file)://`)
	user      = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*@`)
	anyUser   = regexp.MustCompile(`//[^/@]*@`)
	github    = regexp.MustCompile(`(?i)^github\.com[/:]`)
	gitPrefix = regexp.MustCompile(`(?i)^git::`)
)

// parseAddress reads an address by the rules of Kustomize's documentation
// for remote targets; ok is false for one that names no repository.
func parseAddress(text string) (a address, ok bool) {
	rest, query, _ := strings.Cut(gitPrefix.ReplaceAllString(text, ""), "?")
	a.ref = refOf(query)
	host, rest, ok := splitHost(rest)
	if !ok {
		return address{}, false
	}
	repo, dir, marked := splitRepository(rest)
	if repo == "" {
		return address{}, false
	}
	a.repo = host + repo
	a.explicit = marked || a.ref != "" || !strings.HasPrefix(host, "http")
	a.path = path.Clean(strings.TrimLeft(dir, "/"))
	if dir == "" {
		a.path = "."
	}
	a.leaves = a.path == ".." || strings.HasPrefix(a.path, "../")
	return a, true
}

// refOf reads ?ref=, or its older name version; a ref wins.
func refOf(query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	if ref := values.Get("ref"); ref != "" {
		return ref
	}
	return values.Get("version")
}

// splitHost cuts scheme, user and host off, with the separator after them.
func splitHost(text string) (host, rest string, ok bool) {
	protocol := strings.ToLower(scheme.FindString(text))
	rest = text[len(protocol):]
	if protocol == "file://" {
		return "", "", false
	}
	name := user.FindString(rest)
	rest = rest[len(name):]
	known := github.MatchString(rest)
	if protocol == "" && name == "" && !known {
		return "", "", false
	}
	end := strings.Index(rest, "/")
	if colon := strings.Index(rest, ":"); protocol == "" && colon > 0 && (end < 0 || colon < end) {
		end = colon
	}
	if end < 0 {
		return "", "", false
	}
	host, rest = rest[:end+1], rest[end+1:]
	switch {
	case known && (protocol == "ssh://" || name != ""):
		return name + "github.com:", rest, true
	case known:
		return "https://github.com/", rest, true
	}
	return protocol + name + host, rest, host != "/"
}

// splitRepository finds where the repository's path ends: at the folder after
// _git, at a double slash, after .git, or else after two names.
func splitRepository(text string) (repo, dir string, marked bool) {
	const azure, suffix = "_git/", ".git"
	if i := strings.Index(text, azure); i >= 0 {
		name, rest, _ := strings.Cut(text[i+len(azure):], "/")
		return text[:i+len(azure)] + name, rest, true
	}
	if repo, dir, ok := strings.Cut(text, "//"); ok {
		return repo, dir, true
	}
	if i := strings.Index(text, suffix); i >= 0 {
		return text[:i+len(suffix)], text[i+len(suffix):], true
	}
	parts := strings.SplitN(text, "/", 3)
	switch len(parts) {
	case 3:
		return parts[0] + "/" + parts[1], parts[2], false
	case 2:
		return text, "", false
	}
	return "", "", false
}

// raw forms of the Git hosts, whose files can be read from the repository.
// The groups are host, repository, ref and path.
var raw = []struct {
	pattern *regexp.Regexp
	host    string // in place of the address's own
}{
	{regexp.MustCompile(`^https://(raw\.githubusercontent\.com)/([^/]+/[^/]+)/(?:refs/(?:heads|tags)/)?([^/]+)/(.+)$`), "github.com"},
	{regexp.MustCompile(`^https://(github\.com)/([^/]+/[^/]+)/raw/(?:refs/(?:heads|tags)/)?([^/]+)/(.+)$`), ""},
	{regexp.MustCompile(`^https://([^/]+)/(.+)/-/raw/([^/]+)/(.+)$`), ""},
	{regexp.MustCompile(`^https://(bitbucket\.org)/([^/]+/[^/]+)/raw/([^/]+)/(.+)$`), ""},
	{regexp.MustCompile(`^https://([^/]+)/([^/]+/[^/]+)/raw/(?:branch|tag|commit)/([^/]+)/(.+)$`), ""},
}

// parseRaw reads the address of one file as a Git host serves it.
func parseRaw(text string) (address, bool) {
	text, _, _ = strings.Cut(text, "?")
	for _, form := range raw {
		m := form.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		host := m[1]
		if form.host != "" {
			host = form.host
		}
		name, err := url.PathUnescape(m[4])
		if err != nil || path.Clean("/"+name) != "/"+name {
			continue
		}
		return address{repo: "https://" + host + "/" + m[2], path: name, ref: m[3], explicit: true}, true
	}
	return address{}, false
}

var fileName = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)

// looksLikeFile reports whether an address ends as a file does.
func looksLikeFile(text string) bool {
	text, _, _ = strings.Cut(text, "?")
	return fileName.MatchString(text)
}

// webAddress reports whether an address can be read by HTTP.
func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// public leaves out what people write of credentials into addresses.
func public(text string) string { return anyUser.ReplaceAllString(text, "//") }
