package signature

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Fault is why an object does not count as signed.
type Fault struct {
	// What completes "it …": "is not signed".
	What string
	// Fix is an imperative sentence.
	Fix string
}

func (f *Fault) Error() string { return f.What }

// maxSignature bounds an armored signature, in bytes.
const maxSignature = 64 << 10

// Check verifies a detached armored signature. It returns the IDs of the key
// that signed and of the primary key that it belongs to; the error is a Fault.
func (k *Keyring) Check(payload, armored []byte, now time.Time) (ids []string, err error) {
	body, err := open(armored)
	if err != nil {
		return nil, err
	}
	issuer, err := issuerOf(body)
	if err != nil {
		return nil, err
	}
	if len(k.entities.KeysById(issuer)) == 0 {
		return nil, &Fault{"is signed with the key " + keyID(issuer) + ", which is not known", "add the public key to ConfigMap " + KeysMap + " if its owner is to be trusted"}
	}
	config := &packet.Config{Time: func() time.Time { return now }}
	sig, signer, err := openpgp.VerifyDetachedSignature(k.entities, bytes.NewReader(payload), bytes.NewReader(body), config)
	if err != nil {
		return nil, faultOf(keyID(issuer), err)
	}
	return []string{keyID(*sig.IssuerKeyId), keyID(signer.PrimaryKey.KeyId)}, nil
}

// open takes the armor off.
func open(armored []byte) ([]byte, error) {
	switch text := string(armored); {
	case strings.TrimSpace(text) == "":
		return nil, &Fault{"is not signed", "sign it: git commit -S, or git tag -s"}
	case !strings.Contains(text, "-----BEGIN PGP "):
		return nil, &Fault{"is not signed by OpenPGP", "sign with an OpenPGP key: git config gpg.format openpgp"}
	case len(armored) > maxSignature:
		return nil, &Fault{"has a signature that is too large", "sign it again"}
	}
	block, err := armor.Decode(bytes.NewReader(armored))
	if err != nil {
		return nil, unreadable(err)
	}
	body, err := io.ReadAll(io.LimitReader(block.Body, maxSignature))
	if err != nil {
		return nil, unreadable(err)
	}
	return body, nil
}

func unreadable(err error) error {
	return &Fault{fmt.Sprintf("has a signature that cannot be read: %v", err), "sign it again"}
}

// issuerOf is the ID of the key that a signature says it is by.
func issuerOf(body []byte) (uint64, error) {
	p, err := packet.Read(bytes.NewReader(body))
	if err != nil {
		return 0, unreadable(err)
	}
	sig, ok := p.(*packet.Signature)
	if !ok || sig.IssuerKeyId == nil {
		return 0, &Fault{"has a signature that names no key", "sign it again"}
	}
	return *sig.IssuerKeyId, nil
}

func faultOf(key string, err error) error {
	const anew = "sign again with a key that is valid"
	switch {
	case errors.Is(err, pgperrors.ErrKeyRevoked):
		return &Fault{"is signed with the key " + key + ", which is revoked", anew}
	case errors.Is(err, pgperrors.ErrKeyExpired):
		return &Fault{"is signed with the key " + key + ", which has expired", "renew the key in ConfigMap " + KeysMap + ", or " + anew}
	case errors.Is(err, pgperrors.ErrSignatureExpired):
		return &Fault{"has a signature of the key " + key + " that has expired", "sign it again"}
	case errors.Is(err, pgperrors.ErrUnknownIssuer):
		return &Fault{"is signed with the key " + key + ", which may not sign", "sign with a key that has the usage to sign"}
	}
	return &Fault{fmt.Sprintf("does not fit its signature of the key %s: %v", key, err), "find out who changed it, and sign it again"}
}
