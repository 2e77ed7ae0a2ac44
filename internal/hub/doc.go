// Package hub is what an installation says on its hub, for an engine and for a
// command that acts there alike: its settings, its projects with the rules that they
// have from elsewhere, the Secrets of clusters and repositories, which namespaces are
// its own, whom it believes, which kinds it serves, and which workloads run it or an Argo
// CD. It makes the
// stages that read repositories by them, so that nothing is read which no project
// permits.
//
// It reads at once and gives values; who follows changes, and acts on them, stands
// above it.
package hub
