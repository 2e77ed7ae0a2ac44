// Package lookup is what generators look up besides repositories and clusters: pull
// requests and repositories at Git hosts, with the credentials and certificates that
// the hub has for these, and ConfigMaps, Secrets and objects of the hub itself.
//
// It remembers what hosts answered, and has each asked no more often than is fair,
// whoever tells of changes. What sets become by that is for internal/generate to say.
package lookup
