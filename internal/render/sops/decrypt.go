package sops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
)

// MaxBytes bounds an encrypted file: a larger one is not parsed.
const MaxBytes = 8 << 20

var _ record.Decrypter = Keys{}

// Decrypt implements record.Decrypter. A file that SOPS did not encrypt has
// no Encryption; without keys an encrypted file comes back as it is. Errors
// are a *gitops.Problem without a place.
func (k Keys) Decrypt(ctx context.Context, name string, text []byte) ([]byte, *record.Encryption, error) {
	if len(text) > MaxBytes {
		return k.large(name, text)
	}
	f := parse(name, text)
	if f == nil {
		return text, nil, nil
	}
	e := &record.Encryption{Recipients: f.meta.recipients()}
	if k.Len() == 0 {
		return text, e, nil
	}
	e.Opened = true
	plain, values, err := k.open(ctx, f)
	if err != nil && ctx.Err() != nil {
		return nil, e, fmt.Errorf("cannot decrypt %s in time: %w", name, ctx.Err())
	}
	if err != nil {
		return nil, e, problem(name, err)
	}
	e.Values = values
	return plain, e, nil
}

// large is Decrypt of a text that is not parsed, for its size.
func (k Keys) large(name string, text []byte) ([]byte, *record.Encryption, error) {
	if !looksEncrypted(text) {
		return text, nil, nil
	}
	e := &record.Encryption{Recipients: []string{"somebody"}}
	if k.Len() == 0 {
		return text, e, nil
	}
	return nil, e, gitops.Problemf(gitops.Invalid, "cannot decrypt %s: it has %d bytes, more than the limit of %d", name, len(text), MaxBytes).
		Do("split the file")
}

// open returns the plain text, and the values that were encrypted in it.
func (k Keys) open(ctx context.Context, f *file) (plain []byte, values []string, err error) {
	key, err := k.dataKey(ctx, f.meta)
	if err != nil {
		return nil, nil, err
	}
	b, err := newBox(key)
	if err != nil {
		return nil, nil, err
	}
	w, err := newWalker(b, f.meta)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range f.trees {
		if err := w.node(ctx, t, place{}); err != nil {
			return nil, nil, err
		}
	}
	if err := w.check(f.meta); err != nil {
		return nil, nil, err
	}
	plain, err = f.write(f.trees)
	return plain, w.values, err
}

// unusable is a file that no key of ours can open.
type unusable struct{ why, fix string }

func (u unusable) Error() string { return u.why }

// maxKey bounds an encrypted data key; it has some hundred bytes.
const maxKey = 16 << 10

func (k Keys) dataKey(ctx context.Context, m metadata) ([]byte, error) {
	keys, shares := m.keys()
	if shares {
		return nil, unusable{"its data key is shared between groups of keys (Shamir), which is not supported", "encrypt it with one group of keys"}
	}
	if len(keys.Age) == 0 {
		return nil, unusable{"it is encrypted for " + listed(m.recipients()) + ", and age keys alone are supported", "add an age recipient to the file with sops updatekeys"}
	}
	for _, a := range keys.Age {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(a.Enc) > maxKey {
			continue
		}
		r, err := age.Decrypt(armor.NewReader(strings.NewReader(a.Enc)), k.identities...)
		if err != nil {
			continue // for somebody else, or broken: the next may do
		}
		key, err := io.ReadAll(io.LimitReader(r, maxKey))
		if err == nil {
			return key, nil
		}
	}
	return nil, unusable{"it is encrypted for " + listed(m.recipients()) + ", and none of the configured keys opens it", "configure the key of one of them, or add a recipient with sops updatekeys"}
}

// maxListed bounds the recipients in a message.
const maxListed = 5

func listed(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	if len(names) > maxListed {
		names = append(names[:maxListed:maxListed], "others")
	}
	return strings.Join(names, ", ")
}

func problem(name string, err error) *gitops.Problem {
	p := &gitops.Problem{Kind: gitops.Invalid, What: "cannot decrypt " + name + ": " + err.Error(), Fix: "edit the file with sops, and commit what it writes", Err: err}
	var u unusable
	if errors.As(err, &u) {
		p.Kind, p.Fix = gitops.Refused, u.fix
	}
	return p
}
