package git

import (
	"bytes"
	"strings"

	"github.com/causeway-gitops/causeway/internal/source/version"
)

// refs are a repository's references as git ls-remote lists them. The text
// is kept as it came: a repository has many references of which few are asked for.
type refs struct {
	text string
	// head is the name that HEAD stands for, if the server tells.
	head     string
	headHash string
	branches map[string]string
	tags     map[string]string
}

func parseRefs(out []byte) *refs {
	r := &refs{text: string(bytes.TrimSpace(out)), branches: map[string]string{}, tags: map[string]string{}}
	for l := range strings.SplitSeq(r.text, "\n") {
		hash, name, ok := strings.Cut(l, "\t")
		if !ok {
			continue
		}
		if target, symbolic := strings.CutPrefix(hash, "ref: "); symbolic {
			if name == "HEAD" {
				r.head = target
			}
			continue
		}
		r.add(hash, name)
	}
	return r
}

func (r *refs) add(hash, name string) {
	if !IsHash(hash) {
		return
	}
	if name == "HEAD" {
		r.headHash = hash
		return
	}
	if b, ok := strings.CutPrefix(name, "refs/heads/"); ok {
		r.branches[b] = hash
		return
	}
	if t, ok := strings.CutPrefix(name, "refs/tags/"); ok {
		// An annotated tag is followed by the commit that it stands for.
		r.tags[strings.TrimSuffix(t, "^{}")] = hash
	}
}

// find returns the commit that a name stands for, and the reference to
// fetch it by. Branches come before tags, ranges before both, and a whole
// commit is no name: who may push a branch would move what others pinned.
func (r *refs) find(revision string) (hash, ref string, ok bool) {
	if lower := strings.ToLower(revision); len(lower) == sha1Digits && IsHash(lower) {
		return lower, "", true
	}
	if revision == "" || revision == "HEAD" {
		if r.headHash != "" {
			return r.headHash, "HEAD", true
		}
		h, ok := r.branches[strings.TrimPrefix(r.head, "refs/heads/")]
		return h, r.head, ok
	}
	if version.IsRange(revision) {
		if tag, ok := version.Newest(revision, r.tagNames()); ok {
			return r.tags[tag], "refs/tags/" + tag, true
		}
	}
	if h, ok := r.branches[revision]; ok {
		return h, "refs/heads/" + revision, true
	}
	if h, ok := r.tags[revision]; ok {
		return h, "refs/tags/" + revision, true
	}
	return r.full(revision)
}

// full finds a name that starts at refs/, or that lacks only refs/ or refs/remotes/.
func (r *refs) full(revision string) (hash, ref string, ok bool) {
	for _, name := range []string{revision, "refs/" + revision, "refs/remotes/" + revision} {
		if !strings.HasPrefix(name, "refs/") {
			continue
		}
		for _, suffix := range []string{"^{}", ""} {
			if h := r.line(name + suffix); h != "" {
				return h, name, true
			}
		}
	}
	return "", "", false
}

func (r *refs) line(name string) string {
	i := strings.Index(r.text+"\n", "\t"+name+"\n")
	if i < 0 {
		return ""
	}
	hash := r.text[strings.LastIndex(r.text[:i], "\n")+1 : i]
	if !IsHash(hash) {
		return ""
	}
	return hash
}

// abbreviated finds the one commit at a reference's tip whose hash starts so.
func (r *refs) abbreviated(prefix string) (string, bool) {
	found := ""
	for l := range strings.SplitSeq(r.text, "\n") {
		hash, _, _ := strings.Cut(l, "\t")
		if !strings.HasPrefix(hash, prefix) || hash == found {
			continue
		}
		if found != "" {
			return "", false
		}
		found = hash
	}
	return found, found != ""
}

// tips are the names of all objects that a reference leads to.
func (r *refs) tips() []string {
	var all []string
	for l := range strings.SplitSeq(r.text, "\n") {
		if hash, _, _ := strings.Cut(l, "\t"); IsHash(hash) {
			all = append(all, hash)
		}
	}
	return all
}

func (r *refs) tagNames() []string {
	names := make([]string, 0, len(r.tags))
	for t := range r.tags {
		names = append(names, t)
	}
	return names
}

func (r *refs) names() []string {
	names := r.tagNames()
	for b := range r.branches {
		names = append(names, b)
	}
	version.Sort(names)
	return names
}

// sha1Digits is how long the names of commits are in the repositories that are
// fetched.
const sha1Digits = 40

// IsHash tells whether s is a full object name: 40 hexadecimal digits, or 64.
func IsHash(s string) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

// IsCommit tells whether a revision can be a commit's own name, whole or
// abbreviated. A branch or tag may have such a name, too.
func IsCommit(revision string) bool {
	lower := strings.ToLower(revision)
	return IsHash(lower) || isShort(lower)
}

func isShort(s string) bool { return len(s) >= 7 && len(s) < 64 && isHex(s) }

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
