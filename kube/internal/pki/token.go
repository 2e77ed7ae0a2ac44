package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/causeway-gitops/causeway/kube/internal/whole"
)

// TokenKey makes sure that file holds the private key that signs service account tokens. A key that is there stays,
// so that tokens handed out before a restart remain valid.
func TokenKey(file string) error {
	_, err := whole.Read(file)
	if err == nil {
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot look for the service account key: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("cannot make the service account key: %w", err)
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	if err := whole.Write(file, keyPEM); err != nil {
		return fmt.Errorf("cannot keep the service account key: %w", err)
	}
	return nil
}
