// Package secrets plays examples/secrets beside a real Vault, and asks that Vault all that
// the provider of SecretStores can.
//
//	make build vault && go test ./test/secrets
package secrets
