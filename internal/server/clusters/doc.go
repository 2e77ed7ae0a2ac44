// Package clusters tells how the engine sees the clusters of its fleet: Health is
// what the API and the pages answer of a cluster, and what commands at a hub read
// by a path of its own. It shows no credentials, and nothing without the token.
package clusters
