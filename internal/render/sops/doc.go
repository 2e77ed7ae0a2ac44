// Package sops reads files that are encrypted in the format of SOPS, with
// age keys: YAML, JSON, dotenv, INI and SOPS's binary form.
//
// It decrypts only, opens no connection and asks no key service. Values of a
// file and keys never stand in an error or a log.
//
// The format is that of https://getsops.io/docs: a data key, encrypted for
// each recipient, encrypts each value by itself (AES-256-GCM) with its path
// as additional data, and a checksum over all values (SHA-512) is encrypted
// with the same key.
package sops
