// Package aws is a provider for AWS: entries of Secrets Manager, and parameters of
// Parameter Store; and for generators of what logs in to AWS and its registries.
//
// Its clients take nothing of the engine's environment but who the engine is, for
// stores that may be read with that, and addresses that an operator has set.
package aws
