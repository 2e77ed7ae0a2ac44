// Package gcp is a provider for Google Cloud: entries of Secret Manager, and tokens that
// registries of images take.
//
// Its clients take nothing of the engine's environment but who the engine is, for stores
// that may be read with that.
package gcp
