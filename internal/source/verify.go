package source

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/signature"
)

// KeysMap is the ConfigMap with the public keys that signatures are checked by.
const KeysMap = signature.KeysMap

// TrustKeys replaces the keys that signatures are checked by: armored public
// keys by their IDs. Those that cannot be read are left out, and told.
func (r *Registry) TrustKeys(data map[string]string) []error {
	ring, errs := signature.ParseKeyring(data)
	r.keys.Store(ring)
	return errs
}

// Verify checks that what a reference resolved to is signed as a rule says:
// an annotated tag itself, else the commit; with History also the commit of a
// tag, and all ancestors up to a sealing commit.
func (r *Registry) Verify(ctx context.Context, ref gitops.SourceRef, commit string, rule gitops.SignatureRule) error {
	if err := refuse(ref); err != nil {
		return located(err, ref)
	}
	by := askedBy(ref)
	_, err := follow(ctx, r, ref, func(at gitops.SourceRef) (struct{}, error) {
		p, err := r.repo(at)
		if err != nil {
			return struct{}{}, err
		}
		// What is not here yet is fetched, which may take its time.
		return seat.Away(ctx, p.host(), func(ctx context.Context) (struct{}, error) { return struct{}{}, p.verify(ctx, at, by, commit, rule) })
	})
	if err != nil {
		return located(err, ref)
	}
	return nil
}

func (p *repo) verify(ctx context.Context, ref gitops.SourceRef, asks asked, commit string, rule gitops.SignatureRule) error {
	v, err := p.signed(ctx, ref, asks)
	if err != nil {
		return err
	}
	c := checker{registry: p.registry, rule: rule}
	by := account{repo: p, projects: slots.Of(ref.Project)}
	if person := p.registry.opts.Person(ctx); person != "" {
		by = p.ofPerson(person)
	}
	if err := c.judge(ctx, by.by(v), strings.TrimSpace(ref.Revision), commit); err != nil {
		return err
	}
	return c.problem()
}

// signed is the Git view that a reference was resolved in.
func (p *repo) signed(ctx context.Context, ref gitops.SourceRef, by asked) (*git.View, error) {
	if p.registry.opts.Person(ctx) == "" {
		p.use(by, wantOf(ref))
	}
	found, err := p.latest(ctx, by.project)
	if err != nil {
		return nil, err
	}
	if to, ok := found.(movedView); ok {
		return nil, git.SentOn(string(to))
	}
	v, ok := found.(gitView)
	if !ok {
		return nil, gitops.Problemf(gitops.Forbidden, "its signature cannot be checked: it does not come from a Git repository").
			Do("use a Git repository, or a project that asks for no signatures")
	}
	return v.View, nil
}

// checker looks at the signatures of one revision.
type checker struct {
	registry *Registry
	rule     gitops.SignatureRule
	texts    []string
	fix      string
}

// shownFaults is how many objects a problem names.
const shownFaults = 3

// seal is the trailer by which a signed commit vouches for all before it.
var seal = []byte("argocd-gpg-seal:")

// commit checks one commit and reports whether to go on to its parents.
func (c *checker) commit(s *git.Signed) (bool, error) {
	valid := c.check(s)
	sealed := valid && slices.ContainsFunc(bytes.Split(bytes.ToLower(s.Message), []byte{'\n'}), func(line []byte) bool { return bytes.HasPrefix(line, seal) })
	return c.rule.History && !sealed && len(c.texts) < shownFaults, nil
}

// check notes what is wrong with a signature. It returns whether the
// signature is good by a key that is known, permitted or not.
func (c *checker) check(s *git.Signed) bool {
	ring := c.registry.keys.Load()
	if ring == nil {
		ring = &signature.Keyring{}
	}
	ids, err := ring.Check(s.Payload, s.Signature, c.registry.now())
	var fault *signature.Fault
	if errors.As(err, &fault) {
		c.note(s, fault.What, fault.Fix)
		return false
	}
	for _, id := range ids {
		if slices.ContainsFunc(c.rule.Keys, func(key string) bool { return signature.Same(key, id) }) {
			return true
		}
	}
	c.note(s, "is signed with the key "+ids[0]+", which the project does not name", "sign with a key that the project names, or add "+ids[0]+" to it")
	return true
}

func (c *checker) note(s *git.Signed, what, fix string) {
	text := s.Name
	if s.Author != "" {
		text += " by " + s.Author
	}
	c.texts = append(c.texts, text+" "+what)
	if c.fix == "" {
		c.fix = fix
	}
}

// judge looks at the tag that a revision names, or at its commits.
func (c *checker) judge(ctx context.Context, v *git.View, revision, commit string) error {
	tag, err := v.Tag(ctx, revision, commit)
	if err != nil {
		return err
	}
	if tag != nil {
		c.check(tag)
	}
	if tag != nil && !c.rule.History {
		return nil
	}
	return v.Walk(ctx, commit, c.commit)
}

func (c *checker) problem() error {
	if len(c.texts) == 0 {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "cannot use what is not signed as the project asks for: %s", strings.Join(c.texts, "; ")).Do(c.fix)
}
