// Package access holds what opens repositories: credentials, how repository
// Secrets describe them, and which of them belongs to an address.
//
// It reads no Secret from a cluster and opens no connection.
package access
