// Package local runs a fleet on this machine: a hub and its spokes as embedded
// control planes, each with the Secret that describes it, so that a GitOps
// repository can be tried without a cluster. What it starts is written in a
// LocalFleet file, or put together from flags.
//
// It prepares clusters and tells their states. It deploys nothing itself: that
// is the engine's work, which runs beside it and sees ordinary clusters.
package local
