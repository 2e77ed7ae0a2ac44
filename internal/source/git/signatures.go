package git

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Signed is an object of Git as its author signed it.
type Signed struct {
	// Name is "commit 1234567" or "tag v1.0".
	Name string
	// Commit is the hash; empty for a tag.
	Commit string
	// Author wrote it, as "Name <mail>".
	Author string
	// Payload is what was signed, Signature the armored text; empty when there is none.
	Payload, Signature []byte
	// Message of the commit or tag.
	Message []byte
	parents []string
}

// maxHistory bounds the commits that one walk looks at.
const maxHistory = 100_000

// Tag returns the annotated tag that a revision resolves to, which must be one
// of a commit that it gave. There is none for branches, commits and plain tags.
//
// The commit is the one that is deployed: a tag that was moved since vouches for
// another one. So does a tag of which the server says that it is of this commit,
// or has this name, when what was signed says otherwise.
func (v *View) Tag(ctx context.Context, revision, commit string) (*Signed, error) {
	of, err := v.find(ctx, revision)
	if err != nil {
		return nil, err
	}
	name, isTag := strings.CutPrefix(of.ref, tagPrefix)
	if !isTag {
		return nil, nil //nolint:nilnil // absence is a value here
	}
	if of.hash != commit {
		return nil, gitops.Problemf(gitops.Unreachable, "tag %s moved while its signature was looked for", name).Do("wait: it is looked at again")
	}
	hash := ""
	err = v.searching(ctx, func(s search) (err error) {
		hash, err = s.exact(ctx, of.ref)
		return err
	})
	if err != nil {
		return nil, err
	}
	if hash == "" || hash == of.hash {
		return nil, nil //nolint:nilnil // a plain tag
	}
	r := v.remote
	if _, _, err := r.store.objects.size(hash); err != nil {
		if err := v.deepen(ctx, hash, "--depth=1"); err != nil {
			return nil, err
		}
	}
	data, err := r.store.object(hash, "tag")
	if err == nil {
		err = r.store.leads(name, data, commit)
	}
	if err == nil {
		err = called(name, data)
	}
	if err != nil {
		return nil, r.store.judge(hash, err, ofContent)
	}
	return parseTag(name, data), nil
}

// maxTags bounds the tags of tags that one look follows.
const maxTags = 8

// leads checks that a tag is of a commit, by itself or through other tags.
func (s *Store) leads(name string, tag []byte, commit string) error {
	for range maxTags {
		object, kind, _ := head(tag)
		if object == commit {
			return nil
		}
		if kind != "tag" {
			break
		}
		var err error
		if tag, err = s.object(object, "tag"); err != nil {
			return err
		}
	}
	return gitops.Problemf(gitops.Forbidden, "tag %s is not of commit %s, which the server gives for it", name, commit).
		Do("find out who changed the server's answer: what was signed is another commit")
}

// called checks that a tag was made by the name that leads to it: what was signed
// as an old version is not a new one.
func called(name string, tag []byte) error {
	_, _, own := head(tag)
	if own == name {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "tag %s leads to what was made as tag %q", name, own).
		Do("make and sign the tag by its own name, `git tag -s -f " + name + " " + name + "^{}`, and find out who has another one stand for it")
}

// head is what a tag is of, and the name that it was made by: its first three
// lines, as Git writes them, and no others. A signed merge of a tag has the lines of
// that one in its head, and is signed as a whole; it is no tag by them.
func head(tag []byte) (object, kind, name string) {
	values := [3]string{}
	rest := string(tag)
	for i, key := range [...]string{"object ", "type ", "tag "} {
		line, after, _ := strings.Cut(rest, "\n")
		value, is := strings.CutPrefix(line, key)
		if !is {
			return "", "", ""
		}
		values[i], rest = value, after
	}
	return values[0], values[1], values[2]
}

// Walk shows a commit, and its ancestors for as long as more says so. Each is
// shown once, a child before its parents.
func (v *View) Walk(ctx context.Context, commit string, more func(*Signed) (bool, error)) error {
	seen, next := map[string]bool{commit: true}, []string{commit}
	for len(next) > 0 {
		if len(seen) > maxHistory {
			return gitops.Problemf(gitops.Invalid, "cannot check more than %d commits", maxHistory).Do("seal the history with a signed commit that has the trailer Argocd-gpg-seal")
		}
		s, err := v.commit(ctx, next[0], commit)
		if err != nil {
			return err
		}
		next = next[1:]
		on, err := more(s)
		if err != nil {
			return err
		}
		for _, parent := range s.parents {
			if on && !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return nil
}

// commit reads a commit past the memory, which is for files; the history of
// tip is fetched when it lacks one.
func (v *View) commit(ctx context.Context, hash, tip string) (*Signed, error) {
	store := v.remote.store
	kind, data, err := store.objects.read(hash, store.limit)
	if errors.Is(err, errMissing) {
		if err := v.deepen(ctx, tip, "--depth=2147483647"); err != nil {
			return nil, err
		}
		kind, data, err = store.objects.read(hash, store.limit)
	}
	switch {
	case err != nil:
		return nil, store.judge(tip, store.unread(hash, err), ofHistory)
	case kind != "commit":
		return nil, gitops.Problemf(gitops.NotFound, "object %s is a %s, not a commit", hash, kind)
	}
	return parseSigned(hash, data), nil
}

// deepen fetches an object with as much of its history as is asked for.
func (v *View) deepen(ctx context.Context, hash, depth string) error {
	err := v.deeper(ctx, hash, depth)
	if err != nil && notOurs(err) {
		return v.whole(ctx)
	}
	return err
}

func (v *View) deeper(ctx context.Context, hash, depth string) error {
	end, err := v.turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	r := v.remote
	return r.bring(ctx, func(in *incoming) error {
		return r.into(ctx, in, "cannot fetch the history of "+hash[:7], "--no-tags", depth, "--", r.target(), "+"+hash+":refs/causeway/"+hash)
	}, one(hash))
}

// parseSigned takes the signature out of a commit's headers, where its lines
// go on with a space; what is left was signed.
func parseSigned(hash string, data []byte) *Signed {
	s := &Signed{Name: "commit " + hash[:7], Commit: hash}
	var into *[]byte
	other := []byte(nil) // of another hash function
	rest := data
	for len(rest) > 0 && rest[0] != '\n' {
		_, after, _ := bytes.Cut(rest, []byte{'\n'})
		line := rest[:len(rest)-len(after)] // with its end
		rest = after
		key, value, _ := bytes.Cut(line, []byte{' '})
		switch string(key) {
		case "": // a line that goes on
			if into != nil {
				*into = append(*into, value...)
				continue
			}
		case "gpgsig":
			into = &s.Signature
			*into = append(*into, value...)
			continue
		case "gpgsig-sha256":
			into = &other
			continue
		case "parent":
			s.parents = append(s.parents, strings.TrimSpace(string(value)))
		case "author":
			if s.Author == "" { // the first one counts, as in parseCommit
				s.Author, _ = parseAuthor(strings.TrimSpace(string(value)))
			}
		}
		into = nil
		s.Payload = append(s.Payload, line...)
	}
	s.Payload = append(s.Payload, rest...)
	s.Message = rest
	return s
}

// parseTag splits a tag before its signature, which stands at its end.
func parseTag(name string, data []byte) *Signed {
	s := &Signed{Name: "tag " + name, Payload: data}
	at := -1
	for offset := 0; offset < len(data); {
		if bytes.HasPrefix(data[offset:], []byte("-----BEGIN ")) {
			at = offset
		}
		end := bytes.IndexByte(data[offset:], '\n')
		if end < 0 {
			break
		}
		offset += end + 1
	}
	if at >= 0 {
		s.Payload, s.Signature = data[:at], data[at:]
	}
	for line := range bytes.Lines(data) {
		if tagger, ok := bytes.CutPrefix(line, []byte("tagger ")); ok {
			s.Author, _ = parseAuthor(strings.TrimSpace(string(tagger)))
			break
		}
	}
	return s
}
