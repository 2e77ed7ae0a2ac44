// Package faults proves by fault that the engine can be trusted: each seed is
// a schedule of spoiled requests, commits, drift and killed processes, after
// which the cluster has to be what Git says, and nothing may have happened on
// the way that must not happen.
//
//	make test-faults                 all 500 seeds
//	make test-faults SEEDS=1-50      some
//	make test-faults PLANES=1-20     more in which the control plane is killed
//	go test ./test/faults -run TestSeeds -seed=123
//
// See docs/explanation/faults.md.
package faults
