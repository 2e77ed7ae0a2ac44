// Package clusterexternalsecret makes the ExternalSecrets of ClusterExternalSecrets,
// one in each namespace that is selected, in one cluster.
//
// Namespaces and ExternalSecrets are read of caches, and nothing is written where
// nothing differs: a namespace that changes costs what happens in that namespace. An
// ExternalSecret that somebody else made stays as it is, and is reported.
package clusterexternalsecret
