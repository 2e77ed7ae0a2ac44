package render

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
)

// decrypting lets encrypted files be read in plain. Explaining values does
// without: what is encrypted stays so on the page.
func (r *run) decrypting(d record.Decrypter) {
	for _, t := range r.trees {
		t.Decrypting(d)
	}
	r.remotes.decrypt = d
}

// seals notes in an entry whether secrets went into it, and warns of files
// that were read encrypted.
func (r *run) seals(e *entry) {
	for i, t := range r.trees {
		e.secret = e.secret || t.Secret()
		r.take(i, nil, encrypted(t))
	}
	e.secret = e.secret || r.remotes.secret()
}

func (r *remotes) secret() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.trees {
		if t.Secret() {
			return true
		}
	}
	return false
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
