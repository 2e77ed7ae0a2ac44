// Package corpus runs public GitOps repositories, unchanged, on a hub and three spokes, and holds what comes of it to
// what Argo CD makes of the same input.
//
// Charts that the repositories name cannot be downloaded in a test: stand-in charts show the values that they were
// given. The repositories themselves are read in place, from ../shared/corpus beside the module; without them the
// tests skip. It has tests only.
package corpus
