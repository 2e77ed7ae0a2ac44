// Package store opens the stores that ExternalSecrets name, for those who may
// use them, and remembers for a moment what was read of them: many Secrets are
// made of the same entry.
package store
