// Package provider says what a store of secrets has to do. Each folder below it
// is one kind of store, reads its own part of a SecretStore, and knows neither
// the others nor what becomes of the values.
package provider
