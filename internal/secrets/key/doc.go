// Package key turns the names that providers have into keys of Secrets, and
// back.
package key
