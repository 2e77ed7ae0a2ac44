package render

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// decrypting lets encrypted files be read in plain. Explaining values does
// without: what is encrypted stays so on the page.
func (r *run) decrypting(d record.Decrypter) {
	if r.in.plain {
		d = unsealed{}
	}
	for _, t := range r.trees {
		t.Decrypting(d)
	}
	r.remotes.decrypt = d
}

// unsealed gives files that nobody encrypted, as a plain source has.
type unsealed struct{}

// Decrypt implements record.Decrypter.
func (unsealed) Decrypt(_ context.Context, _ string, text []byte) ([]byte, *record.Encryption, error) {
	if bytes.Contains(text, []byte("sops")) {
		return nil, nil, source.ErrNotPlain
	}
	return text, nil, nil
}

// seals notes in an entry whether secrets went into it, and warns of files
// that were read encrypted.
func (r *run) seals(e *entry) {
	for i, t := range r.trees {
		e.secret = e.secret || t.Secret()
		sealed := encrypted(t)
		e.sealed = e.sealed || len(sealed) > 0
		r.take(i, nil, sealed)
	}
	secret, sealed := r.remotes.seals()
	e.secret, e.sealed = e.secret || secret, e.sealed || sealed
}

func (r *remotes) seals() (secret, sealed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.trees {
		secret = secret || t.Secret()
		sealed = sealed || len(t.Sealed()) > 0
	}
	return secret, sealed
}

func encrypted(t *record.Tree) []gitops.Warning {
	var out []gitops.Warning
	for _, s := range t.Sealed() {
		out = append(out, gitops.Warning{
			Reason:  "Encrypted",
			Message: fmt.Sprintf("the file is encrypted by SOPS for %s and is used as it stands, as no key is configured", strings.Join(s.Recipients, ", ")),
			Origin:  t.Where(s.File, 0),
		})
	}
	return out
}
