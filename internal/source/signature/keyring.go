// Package signature checks OpenPGP signatures by the public keys that an
// installation trusts.
//
// It works on bytes: which objects have to be signed, and by whom, is not its
// concern.
package signature

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// KeysMap is the ConfigMap with the public keys: armored, by their ID.
const KeysMap = "argocd-gpg-keys-cm"

// Bounds of a keyring.
const (
	maxKeys     = 1000
	maxKeyBytes = 256 << 10
)

// Keyring is a set of trusted public keys; it never changes. The zero value
// trusts nobody.
type Keyring struct {
	entities openpgp.EntityList
}

// ParseKeyring reads armored keys by their IDs. Keys that cannot be read are
// left out, and told.
func ParseKeyring(data map[string]string) (*Keyring, []error) {
	k := &Keyring{}
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(data)) {
		if len(k.entities) >= maxKeys {
			errs = append(errs, gitops.Problemf(gitops.Invalid, "cannot use more than %d keys of ConfigMap %s", maxKeys, KeysMap).Do("remove keys that nobody signs with"))
			break
		}
		entities, err := parseKey(id, data[id])
		if err != nil {
			errs = append(errs, gitops.Problemf(gitops.Invalid, "cannot use key %s of ConfigMap %s: %w", id, KeysMap, err).Do("write the armored public key under its ID"))
			continue
		}
		k.entities = append(k.entities, entities...)
	}
	return k, errs
}

func parseKey(id, text string) (openpgp.EntityList, error) {
	if len(text) > maxKeyBytes {
		return nil, fmt.Errorf("it is larger than %d KiB", maxKeyBytes>>10)
	}
	entities, err := openpgp.ReadArmoredKeyRing(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	for _, e := range entities {
		if e.PrivateKey != nil {
			return nil, errors.New("it is a private key, which must not be here")
		}
		if !Same(id, keyID(e.PrimaryKey.KeyId)) {
			return nil, fmt.Errorf("it is the key %s", keyID(e.PrimaryKey.KeyId))
		}
	}
	return entities, nil
}

// keyID writes an ID as people know it: 16 digits.
func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }

// idDigits is how many digits at the end of a fingerprint are the ID.
const idDigits = 16

// Same reports whether two names are those of one key: IDs of 16 digits, or
// fingerprints, which end in the ID.
func Same(a, b string) bool { return short(a) != "" && short(a) == short(b) }

// short is empty for what is too short to name one key.
func short(id string) string {
	id = strings.ToUpper(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "0x"))
	if len(id) < idDigits {
		return ""
	}
	return id[len(id)-idDigits:]
}
