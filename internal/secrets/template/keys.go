package template

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // a hash that ciphertexts were made with
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"errors"
	"fmt"
	"hash"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// jwkPublicKeyPem is the public key that a JWK is.
func jwkPublicKeyPem(text string) (string, error) {
	key, err := rawKey(text)
	if err != nil {
		return "", err
	}
	switch key.(type) {
	case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:
	default:
		return "", fmt.Errorf("unsupported public key type: the JWK holds %T", key)
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	return encodePEM(pemPublicKey, der), nil
}

// jwkPrivateKeyPem is the private key that a JWK is, in PKCS 8.
func jwkPrivateKeyPem(text string) (string, error) {
	key, err := rawKey(text)
	if err != nil {
		return "", err
	}
	switch key.(type) {
	case *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey:
	default:
		return "", fmt.Errorf("unknown key type: the JWK holds %T, and no private key", key)
	}
	return privateKeyPEM(key)
}

func rawKey(text string) (any, error) {
	var parsed jose.JSONWebKey
	if err := parsed.UnmarshalJSON([]byte(text)); err != nil {
		return nil, fmt.Errorf("the text is no JWK: %w", err)
	}
	return parsed.Key, nil
}

// Schemes of rsaDecrypt.
const (
	schemeNone = "None"
	schemeOAEP = "RSA-OAEP"
)

// rsaDecrypt is what was encrypted for a key, in bytes.
func rsaDecrypt(scheme, hashName, encrypted, key string) (string, error) {
	switch scheme {
	case schemeNone:
		return encrypted, nil
	case schemeOAEP:
	default:
		return "", fmt.Errorf("decryption scheme %s is not supported: use %s or %s", scheme, schemeOAEP, schemeNone)
	}
	parsed, err := privateKey(key)
	if err != nil {
		return "", err
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return "", errors.New("the key is no RSA key")
	}
	decrypted, err := rsa.DecryptOAEP(hashOf(hashName), nil, private, []byte(encrypted), nil)
	if err != nil {
		return "", err
	}
	return string(decrypted), nil
}

func hashOf(name string) hash.Hash {
	switch strings.ToUpper(name) {
	case "SHA1":
		return sha1.New() //nolint:gosec // as above
	case "SHA224":
		return sha256.New224()
	case "SHA384":
		return sha512.New384()
	case "SHA512":
		return sha512.New()
	default:
		return sha256.New()
	}
}
