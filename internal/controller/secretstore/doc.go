// Package secretstore says of each SecretStore and ClusterSecretStore of a cluster
// whether it can be used: that its provider is known, that its credentials are
// there, and that the server takes them.
package secretstore
