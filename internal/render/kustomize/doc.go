// Package kustomize builds kustomizations with Kustomize's own library, over
// the recorded tree and an overlay that holds the edited kustomization file.
//
// It runs no programs, and it refuses what would make the library open a
// connection. Entries of a kustomization are checked in kustomization_rewrite.go; a
// link that leads out of the repository is refused where files are found, by
// internal/source/git.
package kustomize
