// Package fake is a provider whose values stand in the SecretStore itself: for
// tests of what uses secrets, and for trying out.
package fake
