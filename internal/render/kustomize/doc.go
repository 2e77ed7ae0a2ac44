// Package kustomize builds kustomizations with Kustomize's own library, over
// the recorded tree and an overlay that holds the edited kustomization file.
//
// It runs no programs, and it refuses what would make the library open a
// connection.
package kustomize
