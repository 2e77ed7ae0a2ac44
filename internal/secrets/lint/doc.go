// Package lint finds mistakes in manifests of External Secrets' kinds, in all that the applications of one cluster make
// together: what no reconciler can do, and what is likely not meant. It has the rules of those who reconcile, asks no
// provider and no cluster, and keeps no value of a Secret or store.
package lint
