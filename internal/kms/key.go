package kms

import "context"

// Key encrypts a few bytes, and decrypts what it has encrypted. What its errors say is shown to whoever asks: it may
// hold neither what was encrypted nor credentials.
type Key interface {
	// Encrypt returns what it made of plain, and the id of what it did that with: of the version, where a key has versions.
	// API servers take a new id for a rotation.
	Encrypt(ctx context.Context, plain []byte) (text []byte, id string, err error)
	// Decrypt takes what Encrypt returned.
	Decrypt(ctx context.Context, text []byte, id string) (plain []byte, err error)
}

// What API servers send and take, in bytes. Seeds have 32; of the rest they refuse more.
// https://kubernetes.io/docs/tasks/administer-cluster/kms-provider/.
const (
	mostPlain = 1 << 10
	mostText  = 1 << 10
	mostID    = 1 << 10
)
