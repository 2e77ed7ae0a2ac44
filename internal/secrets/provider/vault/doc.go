// Package vault is a provider for HashiCorp Vault and OpenBao: values of the KV
// engines, version 1 and 2.
package vault
