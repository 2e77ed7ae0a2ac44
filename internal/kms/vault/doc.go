// Package vault encrypts with a key of the transit engine of Vault or OpenBao.
package vault
