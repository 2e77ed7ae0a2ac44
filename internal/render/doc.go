// Package render turns an Application and its snapshots into manifests.
//
// Each render runs over a recording of what it reads (package record), so
// that it is reused at a new commit, or with new facts of the cluster, for
// as long as nothing that it read has changed. Renderers for the types of
// sources are registered by the caller: packages helm, kustomize, directory,
// plugin. Files that SOPS encrypted are read in plain where there are keys:
// package sops.
//
// It talks to no cluster and, but for plugins, to no network, fills in no namespaces, adds no
// tracking and resolves no duplicates: that is the plan's work.
package render
