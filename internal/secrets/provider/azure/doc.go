// Package azure is a provider for Azure: secrets, public keys and certificates of a Key
// Vault, and tokens of its registries of images.
//
// Its clients take nothing of the engine's environment but who the engine is, for stores
// that may be read with that.
package azure
