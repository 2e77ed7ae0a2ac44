// Package scenario plays whole stories on the engine and holds what comes of them to what Argo CD did: a Git
// repository with a commit a step, what the cluster had before, an Application, and what people do meanwhile.
//
// The stories are in ../shared/conformance/sync beside the module, and their README is the specification; without them
// the tests skip. They run at the same time on one control plane without workload controllers, whose part a simulator
// plays. A proxy between engine and API server notes what the engine writes. The package has tests only.
package scenario
